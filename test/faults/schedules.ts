import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { inHouse, type House } from './house.ts';
import type { Role } from './process.ts';
import type { Outcome, Trial } from './scenario.ts';

/** What a booting process needs; fewer boot at once where memory is short. */
const BOOT_KB = 220_000;
const ROLES: readonly Role[] = ['serve', 'work', 'schedule', 'all'];
/** A tick is at most a minute away. */
const TICK_LIMIT_MS = 180_000;

/** R10: replicas of the scheduler share ticks; many processes start at the same moment. */
export async function tickAndBoot({ counts, random, topology, say }: Trial): Promise<Outcome> {
  const jobs = await mkdtemp(join(tmpdir(), 'rn-checks-'));
  const names = Array.from({ length: counts.checks }, (_, index) => `check-${index + 1}`);
  const text = (name: string) =>
    `---\ndescription: ${name}\ncron: '* * * * *'\nlabels: { service: ${name} }\npost: always\n---\n\nLook.\n`;
  await Promise.all(names.map((name) => writeFile(join(jobs, `${name}.md`), text(name))));
  try {
    return await inHouse({ random, topology }, async (house) => {
      await Promise.all([house.start('work'), house.start('work')]);
      const ticked = await shareTicks(house, counts.replicas, jobs, names);
      say(`${ticked.submitted} ticks from ${counts.replicas} replicas made ${ticked.runs} runs`);
      const wave = Math.max(1, Math.min(counts.boots, Math.floor((0.7 * (await availableKb())) / BOOT_KB)));
      await bootAll(house, counts.boots, wave);
      return {
        seen: { replicas: counts.replicas, ...ticked.seen, boots: counts.boots, 'boots at once': wave },
        failures: [...ticked.failures, ...(await house.vitalSigns())],
      };
    });
  } finally {
    await rm(jobs, { recursive: true, force: true });
  }
}

/** Lets a minute strike for all replicas, after the one in which they start, and counts what came of it. */
async function shareTicks(house: House, replicas: number, folder: string, names: readonly string[]) {
  const crew = await Promise.all(Array.from({ length: replicas }, () => house.start('schedule', { JOBS_DIR: folder })));
  const started = minuteOf(new Date());
  const submissions = () =>
    crew.flatMap(({ child }) =>
      [...child.output().matchAll(/"incidentId":"(check_[\w-]+)"[^\n]*"msg":"check submitted"/g)].map(
        ([, id]) => id ?? '',
      ),
    );
  await eventually(
    'a tick of every check after the start of the last replica',
    () => new Set(submissions().flatMap((id) => (tickOf(id) > started ? [nameOf(id)] : []))).size,
    (count) => count >= names.length,
    TICK_LIMIT_MS,
  );
  await Promise.all(crew.map((member) => member.terminate()));
  const submitted = submissions();
  const ids = new Set(submitted);
  const reports = () => house.board.reports('webhook');
  await eventually('every run', () => [...ids].every((id) => reports().has(id)), Boolean, TICK_LIMIT_MS).catch(
    () => false,
  );
  const missing = [...ids].filter((id) => !reports().has(id));
  // Where the minute strikes soon after the start, the runs of the start may be under way: then there is no other one, and that is told.
  const skipped = crew.flatMap(({ child }) =>
    [...child.output().matchAll(/"check":"([\w-]+)","ticks":"1 tick was skipped at ([\d:TZ -]+): /g)].map(
      ([, name, minute = '']) => `check_${name}_${minute.replaceAll(/\D/g, '')}`,
    ),
  );
  const decided = [...ids, ...skipped];
  const wanted = names.reduce((sum, name) => sum + minutesBetween(decided.filter((id) => nameOf(id) === name)), 0);
  return {
    submitted: submitted.length,
    runs: reports().size,
    seen: {
      'ticks handed in by all replicas': submitted.length,
      'runs wanted': wanted,
      'ticks that found a run under way': skipped.length,
      runs: reports().size,
    },
    failures: [
      ...(missing.length > 0 ? [`${missing.length} ticks were never run`] : []),
      ...(decided.length === wanted
        ? []
        : [`${ids.size} runs and ${skipped.length} skipped ticks, of ${wanted} ticks of ${names.length} checks`]),
      ...(submitted.length === ids.size ? [] : [`${submitted.length - ids.size} ticks were handed in twice`]),
    ],
  };
}

/** The minute in the id of a check's incident: `202611291000`. */
function tickOf(id: string): string {
  return id.split('_').at(-1) ?? '';
}

/** The check that it is of: `check_<name>_<minute>`. */
function nameOf(id: string): string {
  return id.split('_').slice(1, -1).join('_');
}

/** Minutes from the first to the last tick of a check, with these two: what it lost before or after them is not seen. */
function minutesBetween(ids: readonly string[]): number {
  const minutes = ids.map((id) => {
    const [, year, month, day, hour, minute] = (/^(....)(..)(..)(..)(..)$/.exec(tickOf(id)) ?? []).map(Number);
    return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute) / 60_000;
  });
  return minutes.length === 0 ? 0 : Math.max(...minutes) - Math.min(...minutes) + 1;
}

function minuteOf(date: Date): string {
  return date.toISOString().slice(0, 16).replaceAll(/\D/g, '');
}

/** Memory that can be had without swapping: what the system keeps of files counts as free. */
async function availableKb(): Promise<number> {
  return Number(/MemAvailable:\s+(\d+)/.exec(await readFile('/proc/meminfo', 'utf8'))?.[1]);
}

async function bootAll(house: House, boots: number, wave: number): Promise<void> {
  for (let from = 0; from < boots; from += wave) {
    const count = Math.min(wave, boots - from);
    const roles = Array.from({ length: count }, (_, index) => ROLES[(from + index) % ROLES.length] ?? 'work');
    const members = await Promise.all(roles.map((role) => house.start(role)));
    await Promise.all(members.map((member) => member.kill()));
  }
}
