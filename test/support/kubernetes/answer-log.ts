import type { AskedPath } from './api-paths.ts';
import { failure, type Answer } from './status.ts';

export interface LogLine {
  readonly timeMs: number;
  readonly text: string;
}

export interface ContainerLogs {
  /** Undefined: the container has never started. */
  readonly current?: readonly LogLine[];
  readonly previous?: readonly LogLine[];
}

/** By `namespace/pod/container`. */
export type PodLogs = Readonly<Record<string, ContainerLogs>>;

/** The log of one container by the documented parameters: tail, since, bytes from the front, time stamps. */
export function answerLog(logs: PodLogs, { namespace, name }: AskedPath, params: URLSearchParams): Answer {
  const container = params.get('container') ?? '';
  const found = logs[`${namespace}/${name}/${container}`];
  if (!found) return failure(404, 'NotFound', `pods "${name}" not found`);
  const isPrevious = params.get('previous') === 'true';
  const lines = isPrevious ? found.previous : found.current;
  if (!lines) {
    const message = isPrevious
      ? `previous terminated container "${container}" in pod "${name}" not found`
      : `container "${container}" in pod "${name}" is waiting to start: ContainerCreating`;
    return failure(400, 'BadRequest', message);
  }
  const sinceMs = Date.parse(params.get('sinceTime') ?? '1970-01-01T00:00:00Z');
  const tail = Number(params.get('tailLines') ?? lines.length);
  const wanted = lines.slice(Math.max(0, lines.length - tail)).filter(({ timeMs }) => timeMs >= sinceMs);
  const stamp = (timeMs: number) =>
    params.get('timestamps') === 'true' ? `${new Date(timeMs).toISOString().replace('Z', '456789Z')} ` : '';
  const text = wanted.map((line) => `${stamp(line.timeMs)}${line.text}\n`).join('');
  return { text: text.slice(0, Number(params.get('limitBytes') ?? text.length)) };
}
