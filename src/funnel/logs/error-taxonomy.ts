import { NO_TIMES, widen, type TimeSpan } from './time-span.ts';

/** Kinds of errors, as far as their text tells; `Unknown` when it does not. */
export const ERROR_BUCKETS = [
  ['ConnectionTimeout', /timed?\s*out/i],
  ['ConnectionRefused', /connection\s*(?:refused|reset|closed)/i],
  ['DNSResolution', /dns|name\s*resolution|resolve\s*host/i],
  ['AuthenticationError', /auth(?:entication|orization)?\s*(?:fail|error|denied)|(?<!\d)40[13](?![\da-z])/i],
  ['OutOfMemory', /out\s*of\s*memory|oom\s*kill|memory\s*(?:error|exceed|limit)/i],
  ['DiskFull', /no\s*space|disk\s*full|storage\s*(?:full|limit)/i],
  ['RateLimited', /rate\s*limit|throttl|(?<!\d)429(?![\da-z])/i],
  ['SchemaValidation', /schema|validation|missing\s*field|invalid\s*(?:field|column|type)/i],
  ['NullReference', /null\s*pointer|none\s*type|attribute\s*error|nil\s*reference/i],
  ['PermissionDenied', /permission\s*denied|access\s*denied|forbidden/i],
  ['ResourceNotFound', /not\s*found|(?<!\d)404(?![\da-z])|no\s*such\s*(?:file|key|bucket)/i],
  ['SyntaxError', /syntax\s*error|parse\s*error|unexpected\s*token/i],
  ['ImportError', /import\s*error|module\s*not\s*found|no\s*module\s*named/i],
  ['Exception', /exception|traceback|stack\s*trace/i],
] as const satisfies readonly (readonly [string, RegExp])[];

export type ErrorBucket = (typeof ERROR_BUCKETS)[number][0] | 'Unknown';

/** The first bucket whose words stand in the message. A status code counts only as a whole number: `429ms` is none. */
export function errorBucket(message: string): ErrorBucket {
  return ERROR_BUCKETS.find(([, pattern]) => pattern.test(message))?.[0] ?? 'Unknown';
}

const MAX_COMPONENTS = 5;
const ASSIGNED = /\b(?:service|host|component|db|table|queue|topic|bucket)=([^\s,;]+)/gi;
const QUOTED = /(['"])([a-z][\w.-]{2,})\1/gi;

/** Things an error message names: values of `service=`, `host=`, …, then quoted identifiers; at most five. */
export function affectedComponents(message: string): string[] {
  const components = [...message.matchAll(ASSIGNED)].map((match) => match[1] ?? '');
  for (const [, , name = ''] of message.matchAll(QUOTED)) {
    if (!components.includes(name)) components.push(name);
  }
  return components.slice(0, MAX_COMPONENTS);
}

/** One error wording with its lines, as the taxonomy counts it. Times are NaN when unknown. */
export interface ErrorLines {
  readonly message: string;
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Everything of one bucket. `samples` are different wordings, at most `maxSamples`. */
export interface ErrorKind {
  readonly errorType: ErrorBucket;
  readonly count: number;
  readonly affectedComponents: readonly string[];
  readonly firstMs: number;
  readonly lastMs: number;
  readonly samples: readonly string[];
}

/** One kind while it is counted. Sets, because thousands of wordings may each name another host. */
interface Tally {
  count: number;
  times: TimeSpan;
  readonly components: Set<string>;
  readonly samples: Set<string>;
}

/** Sums error wordings by bucket, most lines first; equal counts keep the order of the input. */
export function buildErrorTaxonomy(errors: readonly ErrorLines[], maxSamples = 5): ErrorKind[] {
  const tallies = new Map<ErrorBucket, Tally>();
  for (const { message, count, firstMs, lastMs } of errors) {
    const errorType = errorBucket(message);
    const tally = tallies.get(errorType) ?? { count: 0, times: NO_TIMES, components: new Set(), samples: new Set() };
    tallies.set(errorType, tally);
    tally.count += count;
    tally.times = widen(widen(tally.times, firstMs), lastMs);
    for (const component of affectedComponents(message)) tally.components.add(component);
    if (tally.samples.size < maxSamples) tally.samples.add(message);
  }
  return [...tallies]
    .map(([errorType, { count, times, components, samples }]) => ({
      errorType,
      count,
      affectedComponents: [...components],
      firstMs: times.fromMs,
      lastMs: times.toMs,
      samples: [...samples],
    }))
    .toSorted((a, b) => b.count - a.count);
}
