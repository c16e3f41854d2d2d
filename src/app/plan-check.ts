import { runProbes } from '../checks/run-probes.ts';
import type { SkillShelf } from '../agent/toolbox.ts';
import type { CheckOutcome, CheckTick, Job } from '../domain/check.ts';
import { counted } from '../domain/counted.ts';
import type { Incident } from '../domain/incident.ts';
import { isoMinute } from '../domain/iso-minute.ts';
import { isClear, type ProbeAnswers } from '../domain/probe-answer.ts';
import type { InvestigationLimits, InvestigationParts } from '../investigate/run.ts';

export interface CheckHistory {
  /** The run before. */
  readonly earlier?: CheckOutcome | undefined;
  /** Of a digest: the runs that it sums up, oldest first. */
  readonly since?: readonly CheckOutcome[] | undefined;
}

/** In the place of a model that will not be asked, so that none has to be paid for. */
const NO_MODEL = { off: 'nothing calls for one' } as const;

/** The probes of a check are asked; then what its file says of model, budget and playbooks becomes part of how it is investigated. */
export async function planCheck(
  { startsAtMs }: Pick<Incident, 'startsAtMs'>,
  { job, lateMs }: Pick<CheckTick, 'job' | 'lateMs'>,
  parts: InvestigationParts,
  { earlier, since }: CheckHistory,
  signal: AbortSignal,
): Promise<InvestigationParts> {
  const { providers, skills } = parts.toolbox;
  const beganMs = parts.now();
  const answers = await runProbes(job.probes, { providers, nowMs: startsAtMs + lateMs, signal });
  const digest = since && digestInWords(since);
  return {
    ...parts,
    model: mayAskModel(job, answers) ? parts.model : NO_MODEL,
    limits: withBudget(parts.limits, job),
    guide: withPlaybooks(parts.guide, job.skills, skills),
    check: {
      answers,
      probeMs: Math.max(0, parts.now() - beganMs),
      model: job.model,
      ...(earlier ? { earlier } : {}),
      ...(digest === undefined ? {} : { digest }),
    },
  };
}

/** Without probes nobody knows beforehand. */
function mayAskModel({ model }: Job, answers: ProbeAnswers): boolean {
  return model === 'always' || (model === 'when-found' && !isClear(answers));
}

/** The file of a check may only lower what the settings allow. */
function withBudget(limits: InvestigationLimits, { name, budget }: Job): InvestigationLimits {
  const { turns = Infinity, costUsd, minutes = Infinity } = budget;
  const isCheaper = costUsd !== undefined && costUsd < (limits.maxCostUsd ?? Infinity);
  return {
    ...limits,
    maxTurns: Math.min(limits.maxTurns, turns),
    timeoutMs: Math.min(limits.timeoutMs, minutes * 60_000),
    ...(isCheaper ? { maxCostUsd: costUsd, costSetting: `budget.cost_usd of the check ${name}` } : {}),
  };
}

/** Playbooks that the file names come first; those that fit what was found follow. */
function withPlaybooks(
  guide: InvestigationParts['guide'],
  names: readonly string[],
  shelf: SkillShelf | undefined,
): InvestigationParts['guide'] {
  if (names.length === 0 || !shelf) return guide;
  return async (incident, brief) => {
    // A shelf that cannot be read is no reason to stop: guidance is a help.
    const [guidance, catalogue] = await Promise.all([guide(incident, brief), shelf.catalogue().catch(() => [])]);
    const named = names.flatMap((name) => catalogue.find((entry) => entry.name === name) ?? []);
    const others = guidance.playbooks.filter(({ name }) => !names.includes(name));
    return { ...guidance, playbooks: [...named, ...others] };
  };
}

/** `24 runs since the last digest: 22 healthy, 1 found something, 1 inconclusive.` */
function digestInWords(runs: readonly CheckOutcome[]): string {
  const count = (status: CheckOutcome['status']) => runs.filter((run) => run.status === status).length;
  const parts = [
    `${count('healthy')} healthy`,
    `${count('found')} found something`,
    ...(count('failed') > 0 ? [`${count('failed')} inconclusive`] : []),
  ];
  const last = runs.findLast(({ status }) => status !== 'healthy');
  const when = last ? ` (last at ${isoMinute(last.tickMs)})` : '';
  return `Digest: ${counted(runs.length, 'run')} before this one, ${parts.join(', ')}${when}. Now:`;
}
