import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createSkillShelf } from '../../src/skills/skill-shelf.ts';
import { builtInSkills } from '../../src/skills/folders.ts';
import { describeIf } from '../support/describe-if.ts';
import type { LoopbackProgram } from '../support/loopback-program.ts';
import { PROMETHEUS } from '../support/programs.ts';
import { startPrometheus } from '../support/prometheus.ts';

const shelf = createSkillShelf([builtInSkills()]);
const names = (await shelf.catalogue()).map(({ name }) => name);

(await describeIf(PROMETHEUS))('PromQL of the built-in playbooks, asked of a real Prometheus', () => {
  let prometheus: LoopbackProgram;
  beforeAll(async () => {
    prometheus = await startPrometheus({});
  });
  afterAll(() => prometheus.stop());

  async function errorOf(query: string): Promise<string | undefined> {
    const response = await fetch(`${prometheus.url}/api/v1/query`, {
      method: 'POST',
      body: new URLSearchParams({ query }),
    });
    const { status, error } = (await response.json()) as { status: string; error?: string };
    return status === 'success' ? undefined : (error ?? status);
  }

  test.each(names)('B2: every query of %s is understood', async (name) => {
    const body = (await shelf.load(name)) ?? '';
    const blocks = [...body.matchAll(/^ *```promql\n([\s\S]*?)^ *```$/gm)].map(([, query]) => query ?? '');
    const inText = [...body.matchAll(/`([a-z_]+\([^`]*\)[^`]*)`/g)]
      .map(([, query]) => query ?? '')
      .filter((text) => text.includes('{'));
    expect(blocks.length).toBeGreaterThan(0);
    const errors = await Promise.all(
      [...blocks, ...inText].map(async (query) => ({ query, error: await errorOf(query) })),
    );
    expect(errors.filter(({ error }) => error !== undefined)).toEqual([]);
  });
});
