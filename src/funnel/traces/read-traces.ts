import type { IncidentModel } from '../incident-model.ts';
import type { Layer, LayerItem } from '../layers.ts';
import { latencyEffect, saturate } from '../metrics/effect.ts';
import { findLostCalls, lostCallFacts } from './lost-calls.ts';
import { failureFact, shiftFact } from './trace-evidence.ts';
import { readTraceShifts, type TraceShift } from './trace-shifts.ts';
import { tailFact, type TraceTail } from './trace-tails.ts';

const MAX_ITEMS = 10;
const NOTABLE_SURPRISE = 2;
const NOTABLE_ADDED_SECONDS = 0.005;
/** A few slow calls say less than many. */
const TAIL_SHARE = 0.7;
/** A call that is no longer made is a sure sign that something ended early, not of where. */
const LOST_CALL_WEIGHT = 0.5;

/** The trace layer: where calls take longer, begin to fail or are no longer made, against a fault-free reference. At most 10 sentences. */
export function readTraces(model: IncidentModel): Layer {
  const { spans, spanStats } = model.telemetry;
  const reading = readTraceShifts(model);
  if (!reading) {
    if (spans.length > 0) return { items: [], notes: [`only ${spans.length} spans: too few to compare`] };
    return {
      items: [],
      notes: spanStats.length > 0 ? ['no spans; span statistics serve the call graph only'] : ['no traces'],
    };
  }
  const notable = reading.shifts.filter(
    (shift) => shift.surprise >= NOTABLE_SURPRISE && shift.addedSeconds >= NOTABLE_ADDED_SECONDS,
  );
  const failing = reading.failures.filter((failure) => failure.failed > 2 * (failure.expected ?? 0) + 1);
  const items: LayerItem[] = [
    ...failing.map((failure) => ({ ...failureFact(failure), weight: saturate(failure.failed, 3) })),
    ...notable.map((shift) => ({ ...shiftFact(shift), weight: weightOf(shift) })),
    ...reading.tails.map((tail) => ({ ...tailFact(tail), weight: TAIL_SHARE * tailWeight(tail) })),
    ...lostCallFacts(findLostCalls(model)).map((fact) => ({ ...fact, weight: LOST_CALL_WEIGHT })),
  ].sort((a, b) => b.weight - a.weight);
  const distinct = onePerKey(items);
  const notes = reading.hasReference
    ? []
    : ['no fault-free reference of traces: only failures and time between caller and callee are judged'];
  if (distinct.length > MAX_ITEMS) notes.push(`${distinct.length - MAX_ITEMS} other slower operations are not shown`);
  if (items.length === 0) notes.push(`${reading.spans} spans, none notably slower or failing`);
  return { items: distinct.slice(0, MAX_ITEMS), notes };
}

function weightOf(shift: TraceShift): number {
  return latencyEffect(shift.addedSeconds) * saturate(shift.surprise, 2) * saturate(shift.calls, 2);
}

function tailWeight({ slowSeconds, slow }: TraceTail): number {
  return latencyEffect(slowSeconds) * saturate(slow, 3);
}

function onePerKey(items: readonly LayerItem[]): LayerItem[] {
  const seen = new Set<string>();
  return items.filter(({ key }) => !seen.has(key) && seen.add(key));
}
