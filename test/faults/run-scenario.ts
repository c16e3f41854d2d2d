import { seededRandom } from '../../bench/seeded-random.ts';
import type { Outcome, Scenario, Trial } from './scenario.ts';

export interface Verdict extends Outcome {
  readonly scenario: Scenario;
  readonly held: boolean;
  readonly seconds: number;
}

/** Runs one scenario. What it throws is a failure, too: the others go on. Each has its own random numbers, so that `--only` repeats them. */
export async function runScenario(
  scenario: Scenario,
  { counts, topology }: Pick<Trial, 'counts' | 'topology'>,
  seed: number,
  say: (line: string) => void,
): Promise<Verdict> {
  const beganMs = Date.now();
  const random = seededRandom(seed + Number(scenario.id.slice(1)) * 1000);
  const tell = (line: string) => say(`${scenario.id}: ${line}`);
  const outcome = await scenario.run({ counts, random, topology, say: tell }).catch((error: unknown): Outcome => ({
    seen: {},
    failures: [error instanceof Error ? error.message : String(error)],
  }));
  const seconds = Math.round((Date.now() - beganMs) / 1000);
  return { ...outcome, scenario, held: outcome.failures.length === 0, seconds };
}
