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

/** Sums error wordings by bucket, most lines first; equal counts keep the order of the input. */
export function buildErrorTaxonomy(errors: readonly ErrorLines[], maxSamples = 5): ErrorKind[] {
  const kinds = new Map<ErrorBucket, ErrorKind>();
  for (const error of errors) {
    const errorType = errorBucket(error.message);
    const known = kinds.get(errorType);
    const components = affectedComponents(error.message);
    kinds.set(errorType, {
      errorType,
      count: (known?.count ?? 0) + error.count,
      affectedComponents: [...new Set([...(known?.affectedComponents ?? []), ...components])],
      firstMs: earliest(known?.firstMs ?? NaN, error.firstMs),
      lastMs: -earliest(-(known?.lastMs ?? NaN), -error.lastMs),
      samples: [...new Set([...(known?.samples ?? []), error.message])].slice(0, maxSamples),
    });
  }
  return [...kinds.values()].toSorted((a, b) => b.count - a.count);
}

/** The smaller of two times, of which one or both may be unknown. */
function earliest(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : Math.min(a, b);
}
