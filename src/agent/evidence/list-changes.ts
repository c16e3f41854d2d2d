import type { Change } from '../../domain/telemetry.ts';
import type { CitedLine } from './cited-line.ts';
import { isMoment, momentText } from './moments.ts';

/** Deliberate acts, one line each; the last before the alert first, then further back, then what came after it. */
export function listChanges(changes: readonly Change[], triggerMs: number): readonly CitedLine[] {
  const lines = new Map(
    changes.toSorted((a, b) => rank(a, triggerMs) - rank(b, triggerMs)).map((change) => [keyOf(change), change]),
  );
  return [...lines].map(([key, change]) => toLine(key, change, triggerMs));
}

const keyOf = ({ timeMs, service, kind, summary }: Change) =>
  `change:${JSON.stringify([timeMs, service, kind, summary])}`;

/** What happened after the alert cannot have caused it. */
function rank({ timeMs }: Change, triggerMs: number): number {
  if (!isMoment(timeMs)) return Number.MAX_VALUE;
  return timeMs <= triggerMs ? triggerMs - timeMs : 1e15 + timeMs - triggerMs;
}

function toLine(key: string, { timeMs, service, kind, summary, link }: Change, triggerMs: number): CitedLine {
  return {
    key,
    draft: {
      kind: 'change',
      service,
      statement: `${kind}${service ? ` of ${service}` : ''}, ${momentText(timeMs, triggerMs)}: ${summary}`,
      atMs: isMoment(timeMs) ? timeMs : undefined,
      ...(link ? { link } : {}),
    },
  };
}
