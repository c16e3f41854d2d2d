import { counted } from '../../domain/counted.ts';
import type { Incident } from '../../domain/incident.ts';
import type { GatherWindow } from '../../domain/provider.ts';
import { NO_TELEMETRY, type Telemetry } from '../../domain/telemetry.ts';
import { Ledger } from '../backend/ledger.ts';
import { chooseScope, type LogScope } from './log-scope.ts';
import { logWindow, toNs, type LogFieldNames, type LogLine, type LogSource, type LogWindow } from './log-source.ts';
import { planParts } from './plan-parts.ts';
import { oldestFirst } from './read-backwards.ts';
import { readEvenly, type EvenReading } from './read-evenly.ts';

export interface LogOptions {
  readonly source: LogSource;
  readonly names: LogFieldNames;
  /** Most lines read for one incident. */
  readonly maxLines: number;
}

/**
 * The lines around an incident: first all that tell of errors, then the others, of too many an even part over services and time. Throws `ProviderError`
 * when the server can tell nothing at all; what failed or was cut later is a gap.
 */
export async function gatherLogs(
  { source, names, maxLines }: LogOptions,
  incident: Incident,
  window: GatherWindow,
  signal: AbortSignal,
): Promise<Telemetry> {
  const ledger = new Ledger(source.name.provider);
  const span = logWindow(window.fromMs, window.toMs);
  const scope = await chooseScope(source, names, incident, span, ledger, signal);
  const everything = source.everything(scope.serviceFields);
  const plan = (telling: 'errors' | 'others') =>
    planParts(scope, everything, span, toNs(incident.startsAtMs), incident.service, telling);
  const errors = await readEvenly(source, plan('errors'), Math.ceil(maxLines / 2), ledger, signal);
  const others = await readEvenly(source, plan('others'), maxLines - errors.lines.length, ledger, signal);
  noteCuts(ledger, source, scope, errors, others);
  const stretches = plan('others').map(({ filter }) => filter);
  const sides = bySide(errors, others, window.reference, stretches);
  return { ...NO_TELEMETRY, ...sides, gaps: ledger.gaps, rawCharacters: ledger.characters };
}

/**
 * The fault-free part apart, so that everything else is compared with it. What of it was not read as a whole is left out, and all of it when no stretch of the
 * incident was: what is rare only because it was not read would become news, or a silence.
 */
function bySide(
  errors: EvenReading,
  others: EvenReading,
  reference: GatherWindow['reference'],
  stretches: readonly LogWindow[],
): Pick<Telemetry, 'logs' | 'reference'> {
  const lines = oldestFirst([...errors.lines, ...others.lines]);
  const unread = [...errors.unread, ...others.unread];
  const isUnread = (ns: bigint) => unread.some(({ fromNs, untilNs }) => ns >= fromNs && ns < untilNs);
  const calmUntilNs = toNs(reference?.toMs ?? 0);
  const ofIncident = stretches.filter(({ untilNs }) => untilNs > calmUntilNs);
  const isBlind = ofIncident.every(({ fromNs }) => isUnread(fromNs));
  const calm = isBlind ? [] : lines.filter(({ timeNs }) => timeNs < calmUntilNs && !isUnread(timeNs));
  const records = (of: readonly LogLine[]) => of.map(({ record }) => record);
  return {
    logs: records(lines.filter(({ timeNs }) => timeNs >= calmUntilNs)),
    reference: { logs: records(calm), spans: [] },
  };
}

function noteCuts(
  ledger: Ledger,
  source: LogSource,
  { services }: LogScope,
  errors: EvenReading,
  others: EvenReading,
): void {
  const unread = errors.unread.length + others.unread.length;
  if (unread > 0)
    ledger.note(
      `${counted(unread, 'part')} of the window not read to their end; what is before the alert there is not compared with.`,
    );
  const kept = errors.lines.length + others.lines.length;
  if (kept + unread === 0 && services.length > 0)
    ledger.note(
      `it names ${services.length} services in this window, but gave no line of them: silence is not told by this.`,
    );
  if (errors.cut + others.cut === 0) return;
  const total = source.sizeUnit === 'lines' ? services.reduce((sum, { size }) => sum + (size ?? 0), 0) : 0;
  // A full share may have been all that there was.
  if (total > 0 && total <= kept) return;
  const of = total > kept ? ` of about ${total}` : '';
  const errorsRead =
    errors.cut > 0 ? `${errors.lines.length} that tell of errors` : `all ${errors.lines.length} that tell of errors`;
  ledger.note(
    `kept ${kept}${of} lines, evenly spread over services and time, among them ${errorsRead}; raise LOGS_MAX_LINES for more.`,
  );
}
