import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { alertOf } from './alerts.ts';
import { inHouse } from './house.ts';
import type { Member } from './process.ts';
import type { Outcome, Trial } from './scenario.ts';
import { drain } from './vital-signs.ts';

const EVERY_MS = 500;
/** Memory is judged from so long on: before that it shows how a process warms up. */
const JUDGED_FROM_MS = 600_000;
const MAX_GROWTH_MB = 100;

/** Steady alerts, each sent three times. Memory of receiver and worker over the second half. */
export function soak({ counts, random, topology, say }: Trial): Promise<Outcome> {
  return inHouse({ random, topology }, async (house) => {
    const members = [await house.start('serve'), await house.start('work')];
    const samples: number[] = [];
    const beganMs = Date.now();
    for (let number = 1; Date.now() - beganMs < counts.soakMs; number++) {
      const alert = alertOf(`soak-${number}`);
      await house.sender.send(alert);
      for (let repeat = 0; repeat < 2; repeat++) await house.sender.ask(alert);
      const sizes = await Promise.all(members.map(memoryMb));
      samples.push(sizes.reduce((sum, size) => sum + size, 0));
      if (number % 500 === 0) say(`${number} alerts, ${samples.at(-1)} MB`);
      await sleep(EVERY_MS);
    }
    await drain(house);
    const growthMb =
      meanOf(samples.slice(-samples.length / 4)) - meanOf(samples.slice(samples.length / 2, (samples.length * 3) / 4));
    const isTooMuch = counts.soakMs >= JUDGED_FROM_MS && growthMb > MAX_GROWTH_MB;
    return {
      seen: {
        'soak, ms': counts.soakMs,
        'soak alerts': samples.length,
        'growth in the second half, MB': Math.round(growthMb),
      },
      failures: [...(isTooMuch ? [`memory grew by ${Math.round(growthMb)} MB`] : []), ...(await house.vitalSigns())],
    };
  });
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** Resident memory. */
export async function memoryMb({ child }: Member): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
