import { affectedComponents, errorBucket, type ErrorBucket } from '../../funnel/logs/error-taxonomy.ts';
import { countOf, seenSpanOf, textOf, widenSeen, type EvidenceRecord, type SeenSpan } from './evidence-record.ts';
import { normalizeLogMessage } from './normalize-message.ts';

const SAMPLES = 5;
const RAW_SAMPLES_PER_BUCKET = 2;
const RAW_SAMPLES = 10;

/** Everything of one kind of error. `sample_messages` differ in wording; the first of them is `sample_message`. */
export interface ErrorKind extends SeenSpan {
  readonly error_type: ErrorBucket;
  readonly count: number;
  readonly affected_components: readonly string[];
  readonly sample_message: string;
  readonly sample_messages: readonly string[];
}

export interface ErrorTaxonomy {
  /** By count, most first; equal counts in order of appearance. */
  readonly error_taxonomy: readonly ErrorKind[];
  /** Lines, those that a group stands for included. */
  readonly total_logs_fetched: number;
  /** `Unknown` counts as one. */
  readonly distinct_error_types: number;
  readonly raw_samples: readonly EvidenceRecord[];
}

/** One kind while it is counted. */
interface Tally {
  count: number;
  seen: SeenSpan;
  readonly components: Set<string>;
  /** By wording. Normalised once a line: comparing every pair would be quadratic. */
  readonly samples: Map<string, string>;
  readonly raw: EvidenceRecord[];
}

/** Sorts errors into kinds by what their text says (SPEC A11; the buckets are those of the funnel). Pure. */
export function buildErrorTaxonomy(logs: readonly EvidenceRecord[], maxSamples = SAMPLES): ErrorTaxonomy {
  const tallies = new Map<ErrorBucket, Tally>();
  for (const log of logs) {
    const message = textOf(log, 'message');
    const bucket = errorBucket(message);
    const tally = tallies.get(bucket) ?? startTally();
    tallies.set(bucket, tally);
    tally.count += countOf(log);
    tally.seen = widenSeen(tally.seen, seenSpanOf(log));
    for (const component of affectedComponents(message)) tally.components.add(component);
    if (tally.samples.size < maxSamples) addSample(tally.samples, message);
    if (tally.raw.length < RAW_SAMPLES_PER_BUCKET) tally.raw.push(log);
  }
  const kinds = [...tallies].map(([bucket, tally]) => toKind(bucket, tally)).sort((a, b) => b.count - a.count);
  return {
    error_taxonomy: kinds,
    total_logs_fetched: logs.reduce((sum, log) => sum + countOf(log), 0),
    distinct_error_types: kinds.length,
    raw_samples: [...tallies.values()].flatMap(({ raw }) => raw).slice(0, RAW_SAMPLES),
  };
}

function startTally(): Tally {
  return { count: 0, seen: { first_seen: '', last_seen: '' }, components: new Set(), samples: new Map(), raw: [] };
}

function addSample(samples: Map<string, string>, message: string): void {
  const wording = normalizeLogMessage(message);
  if (!samples.has(wording)) samples.set(wording, message);
}

function toKind(bucket: ErrorBucket, { count, seen, components, samples, raw }: Tally): ErrorKind {
  return {
    error_type: bucket,
    count,
    affected_components: [...components],
    sample_message: textOf(raw[0] ?? {}, 'message'),
    ...seen,
    sample_messages: [...samples.values()],
  };
}
