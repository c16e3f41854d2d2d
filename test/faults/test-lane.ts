import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { beforeAll, expect, test } from '@jest/globals';
import { describeIf } from '../support/describe-if.ts';
import { projectRoot, REDIS } from '../support/programs.ts';
import { SMALL } from './counts.ts';
import { runScenario } from './run-scenario.ts';
import type { Lane, Scenario, ScenarioId } from './scenario.ts';
import { SCENARIOS, scenariosOn } from './scenarios.ts';
import type { Topology } from './topology.ts';

const SEED = 20261130;
const LIMIT_MS = 600_000;

/** One test for each scenario of the lanes, with small counts. */
export function testLanes(...lanes: readonly Lane[]): Promise<void> {
  return testScenarios(
    'single',
    SCENARIOS.filter(({ lane }) => lanes.includes(lane)),
  );
}

/** The same of some of them, whatever their lanes, where Redis is several servers. */
export function testOn(topology: Topology, ...ids: readonly ScenarioId[]): Promise<void> {
  return testScenarios(
    topology,
    scenariosOn(topology).filter(({ id }) => ids.includes(id)),
  );
}

async function testScenarios(topology: Topology, scenarios: readonly Scenario[]): Promise<void> {
  const suite = await describeIf(REDIS);
  suite(`faults, with small counts, Redis ${topology}`, () => {
    // The processes run from the build, which `npx jest` does not make.
    beforeAll(async () => {
      await once(spawn(process.execPath, ['scripts/setup.mjs'], { cwd: projectRoot(), stdio: 'ignore' }), 'exit');
    }, LIMIT_MS);
    test.each(scenarios.map((scenario) => [scenario.id, scenario.title, scenario] as const))(
      '%s: %s: no alert is lost, none is reported twice',
      async (_id, _title, scenario) => {
        const { failures } = await runScenario(scenario, { counts: SMALL, topology }, SEED, () => undefined);
        expect(failures).toEqual([]);
      },
      LIMIT_MS,
    );
  });
}
