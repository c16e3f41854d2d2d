import type { RootCauseType } from '../../domain/root-cause-type.ts';
import type { Change } from '../../domain/telemetry.ts';
import { oneLine } from '../../policy/untrusted.ts';
import type { LayerItem, StateFinding } from '../layers.ts';
import type { ServiceMap } from '../services.ts';

const MINUTE_MS = 60_000;
/** Clocks differ: a change stamped shortly after the trigger may have come before it. */
const CLOCK_SKEW_MS = 2 * MINUTE_MS;

/** What may stand between a service and the colon without saying what was changed. */
const ABOUT = ['', ' config', ' configuration', ' setting', ' settings'];

/** A deliberate act, however it was learned: from a provider's change list or from the objects. */
export interface ReadChange {
  readonly item: LayerItem;
  /** Undefined when the record names none: such a change has no suspect. */
  readonly finding: StateFinding | undefined;
}

export function readChange(change: Change, services: ServiceMap, triggerMs: number): ReadChange {
  const service = change.service === undefined ? undefined : services.canonical(change.service);
  const severity = severityAt(change.timeMs, triggerMs);
  const item: LayerItem = {
    key: `change:${service ?? '(unnamed)'}/${change.kind} ${change.summary}/${change.timeMs}`,
    evidence: {
      kind: 'change',
      service,
      ...(change.namespace ? { namespace: change.namespace } : {}),
      statement: statementOf(change, service),
      atMs: Number.isFinite(change.timeMs) ? change.timeMs : undefined,
      ...(change.link === undefined ? {} : { link: change.link }),
    },
    weight: severity,
  };
  if (service === undefined || severity === 0) return { item, finding: undefined };
  return { item, finding: { ...item, service, severity, rootCauseType: typeOf(change.kind) } };
}

/** `<kind> of <service>: <what was changed>`. Many tools begin their summary with the kind or the service, which would then stand there twice. */
function statementOf({ kind, summary }: Change, service: string | undefined): string {
  const text = oneLine(summary);
  if (service === undefined) return oneLine(`${kind}: ${text}`);
  const names = [...ABOUT.map((word) => `${service}${word}: `), `${service} ${kind}: `, `${kind} of ${service}: `];
  // Compared as text: a name may be of any length, which a pattern may not.
  const start = names.find((name) => text.slice(0, name.length).toLowerCase() === name.toLowerCase());
  return oneLine(`${kind} of ${service}: ${text.slice(start?.length ?? 0)}`);
}

/** The nearer before the alert, the likelier its cause; a change alone proves nothing, hence never above one half. */
function severityAt(timeMs: number, triggerMs: number): number {
  const ageMs = triggerMs - timeMs;
  if (Number.isNaN(ageMs)) return 0.1;
  if (ageMs < -CLOCK_SKEW_MS) return 0;
  if (ageMs <= 15 * MINUTE_MS) return 0.5;
  if (ageMs <= 60 * MINUTE_MS) return 0.35;
  return ageMs <= 360 * MINUTE_MS ? 0.15 : 0.05;
}

function typeOf(kind: string): RootCauseType {
  return /config|flag|secret|setting|env/i.test(kind) ? 'config_change' : 'deployment_change';
}
