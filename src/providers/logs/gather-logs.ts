import type { Incident } from '../../domain/incident.ts';
import type { GatherWindow } from '../../domain/provider.ts';
import { NO_TELEMETRY, type LogRecord, type Telemetry } from '../../domain/telemetry.ts';
import { Ledger } from '../backend/ledger.ts';
import { chooseScope, type LogScope } from './log-scope.ts';
import { logWindow, toNs, type LogFieldNames, type LogSource } from './log-source.ts';
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
  const read = (telling: 'errors' | 'others', most: number) => {
    const parts = planParts(scope, everything, span, toNs(incident.startsAtMs), incident.service, telling);
    return readEvenly(source, parts, most, ledger, signal);
  };
  const errors = await read('errors', Math.ceil(maxLines / 2));
  const others = await read('others', maxLines - errors.lines.length);
  noteCuts(ledger, source, scope, errors, others);
  const records = oldestFirst([...errors.lines, ...others.lines]).map(({ record }) => record);
  return { ...NO_TELEMETRY, ...bySide(records, window), gaps: ledger.gaps, rawCharacters: ledger.characters };
}

/** The fault-free part apart, so that everything else is compared with it. */
function bySide(records: readonly LogRecord[], { reference }: GatherWindow): Pick<Telemetry, 'logs' | 'reference'> {
  const isCalm = ({ timeMs }: LogRecord) => reference !== undefined && timeMs < reference.toMs;
  return {
    logs: records.filter((record) => !isCalm(record)),
    reference: { logs: records.filter(isCalm), spans: [] },
  };
}

function noteCuts(
  ledger: Ledger,
  source: LogSource,
  { services }: LogScope,
  errors: EvenReading,
  others: EvenReading,
): void {
  const unread = errors.unread + others.unread;
  if (unread > 0) ledger.note(`${unread} parts of the window were not read to their end.`);
  const kept = errors.lines.length + others.lines.length;
  if (kept + unread === 0 && services.length > 0)
    ledger.note(
      `it names ${services.length} services in this window, but gave no line of them: silence is not told by this.`,
    );
  if (errors.cut + others.cut === 0) return;
  const total = source.sizeUnit === 'lines' ? services.reduce((sum, { size }) => sum + (size ?? 0), 0) : 0;
  const of = total > kept ? ` of about ${total}` : '';
  const errorsRead =
    errors.cut > 0 ? `${errors.lines.length} that tell of errors` : `all ${errors.lines.length} that tell of errors`;
  ledger.note(
    `kept ${kept}${of} lines, evenly spread over services and time, among them ${errorsRead}; raise LOGS_MAX_LINES for more.`,
  );
}
