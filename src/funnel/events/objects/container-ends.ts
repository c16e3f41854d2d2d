import { at, hasAt, numberAt, textAt } from '../json-path.ts';
import { judgeText, type Judgement } from '../severities.ts';

/** What the end of a container means, with words for its exit code where the code has a meaning of its own. */
export interface ContainerEnd extends Judgement {
  readonly words?: string;
}

const SIGKILL = 137;
const SIGTERM = 143;

/**
 * Exit codes with a fixed meaning: 126–128 of the shell and the container runtime (the command cannot be run), 128 + n for an end by
 * signal n.
 */
const BY_CODE: ReadonlyMap<number, ContainerEnd> = new Map([
  [126, { severity: 0.95, type: 'config_change', words: 'the command cannot be executed' }],
  [127, { severity: 0.95, type: 'config_change', words: 'the command was not found' }],
  [128, { severity: 0.95, type: 'config_change', words: 'the container could not be started' }],
  [132, { severity: 0.85, type: 'code_error', words: 'illegal instruction: built for another processor' }],
  [134, { severity: 0.8, type: 'code_error', words: 'aborted' }],
  [139, { severity: 0.85, type: 'code_error', words: 'segmentation fault' }],
]);

/** Judges a `terminated` state. `spec` is the container's part of the pod spec, if known. Undefined for an end in order. */
export function judgeEnd(end: unknown, spec: unknown): ContainerEnd | undefined {
  const exitCode = numberAt(end, 'exitCode');
  const reason = textAt(end, 'reason') ?? '';
  if (exitCode === 0 || reason === 'Completed') return undefined;
  const known = judgeText(`${reason} ${textAt(end, 'message') ?? ''}`);
  const byCode = BY_CODE.get(exitCode ?? Number.NaN);
  if (known) return byCode?.words === undefined ? known : { ...known, words: byCode.words };
  if (byCode) return byCode;
  if (exitCode === SIGTERM) return stoppedFromOutside(spec);
  if (exitCode === SIGKILL) return killed(spec);
  if (exitCode === undefined && reason === '') return undefined;
  return { severity: 0.75, type: 'code_error' };
}

/** The kubelet stops a container of a pod that stays when a probe says so; without such a probe the stop was somebody's will. */
function stoppedFromOutside(spec: unknown): ContainerEnd | undefined {
  if (!isProbed(spec)) return undefined;
  return { severity: 0.65, type: 'probe_failure', words: 'stopped by its kubelet, as after a failed liveness probe' };
}

/** Killed without being named OOMKilled: by the kubelet after the grace period of a failed probe, else by the node or by hand. */
function killed(spec: unknown): ContainerEnd {
  if (isProbed(spec))
    return { severity: 0.75, type: 'probe_failure', words: 'killed, as after a failed liveness probe' };
  return { severity: 0.75, type: 'unknown', words: 'killed' };
}

const isProbed = (spec: unknown) => hasAt(spec, 'livenessProbe') || hasAt(spec, 'startupProbe');

/** `exit code 127 (the command was not found)`; empty when no code was recorded. */
export function exitText(end: unknown, words: string | undefined): string {
  const exitCode = numberAt(end, 'exitCode');
  if (exitCode === undefined) return '';
  return `exit code ${exitCode}${words ? ` (${words})` : ''}`;
}

/** The last end of a container, as its status has it. */
export const lastEndOf = (status: unknown): unknown => at(status, 'lastState', 'terminated');
