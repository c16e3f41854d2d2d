import { z } from 'zod';
import { ROOT_CAUSE_TYPES } from './root-cause-type.ts';

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const LONGEST_MS = 366 * UNIT_MS.d;

const A_LENGTH_OF_TIME = 'must be a length of time such as 90s, 10m, 6h, 14d or 2w';

/** A length of time as people write it: `90s`, `10m`, `6h`, `14d`, `2w`. Kept as written, for messages; `durationMs` reads it. */
export const Duration = z
  .string({ error: ({ input }) => `${input === undefined ? 'is missing: it ' : ''}${A_LENGTH_OF_TIME}` })
  .regex(/^[1-9]\d{0,5}[smhdw]$/, { error: A_LENGTH_OF_TIME, abort: true })
  .refine((text) => durationMs(text) <= LONGEST_MS, 'is longer than a year');

/** Milliseconds of a `Duration`. */
export function durationMs(duration: string): number {
  const unit = duration.at(-1) as keyof typeof UNIT_MS;
  return Number(duration.slice(0, -1)) * UNIT_MS[unit];
}

export const PROBE_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type ProbeSeverity = (typeof PROBE_SEVERITIES)[number];

/** What a `message` may hold, in braces. */
export const MESSAGE_WORDS = ['service', 'object', 'value', 'limit', 'since', 'window'] as const;

const Message = z
  .string()
  .min(1)
  .max(300)
  .refine(
    (text) => [...text.matchAll(/\{([^}]*)\}/g)].every(([, word]) => MESSAGE_WORDS.some((known) => known === word)),
    `may hold only these in braces: ${MESSAGE_WORDS.map((word) => `{${word}}`).join(', ')}`,
  );

const about = {
  /** Unique in its check; part of what a finding is recognised by. */
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,59}$/, 'must be lower-case letters, digits and hyphens, at most 60'),
  severity: z.enum(PROBE_SEVERITIES).default('warning'),
  /** One sentence about one finding. Default: made from the kind. */
  message: Message.optional(),
  /** What to do about it, one line. */
  remedy: z.string().min(1).max(300).optional(),
  /** What a finding of this probe is, when it is the cause itself. */
  type: z.enum(ROOT_CAUSE_TYPES).optional(),
  /** Known and accepted: names of services or `namespace/name` of objects to leave out, `*` for any text. */
  ignore: z.array(z.string().min(1).max(200)).max(100).default([]),
};

const Pattern = z.string().min(1).max(500);

/** Where numbers come from. `query` for providers with a language, `series` (`service/metric`, `*` for any text) for those without, a recording for one. */
const source = {
  query: z.string().min(1).max(4000).optional(),
  series: z.union([Pattern, z.array(Pattern).min(1).max(10)], 'must be service/metric, or a list of such').optional(),
  /** Labels that name the object in messages, beside its service. Default: all labels of the series. */
  by: z.array(z.string().min(1).max(100)).max(6).optional(),
};

/** A limit is passed on one side. */
const limit = { above: z.number().optional(), below: z.number().optional() };
/** UCUM-like, for messages: `s`, `ms`, `By`, `%`, `1` for a share; or a word, `requests/s` for one. */
const unit = z.string().min(1).max(20).optional();

const REDUCTIONS = ['last', 'max', 'avg', 'min', 'median', 'increase'] as const;

/** A number beyond a threshold now, or for a share of the window. `increase`: what a counter counted in the window, over resets. */
const MetricProbe = z.strictObject({
  ...about,
  ...source,
  ...limit,
  kind: z.literal('metric'),
  over: Duration.default('15m'),
  reduce: z.enum(REDUCTIONS).default('last'),
  /** Least share of the window's samples that have to be beyond the limit, 0 to 1. */
  for: z.number().min(0).max(1).optional(),
  unit,
});

/** The last window moved away from the one before it: by so many times, and by no less than `least` in the metric's unit. */
const BaselineProbe = z.strictObject({
  ...about,
  ...source,
  kind: z.literal('baseline'),
  over: Duration.default('15m'),
  /** How far back what is usual is taken from, before the window. */
  against: Duration.default('6h'),
  direction: z.enum(['up', 'down', 'both']).default('up'),
  /** Times the usual (or, downwards, that part of it: 2 means half). */
  factor: z.number().gt(1).max(1000).default(2),
  least: z.number().min(0).default(0),
  /** Without a break for so large a share of the window, 0 to 1: shorter spikes do not count. */
  for: z.number().min(0).max(1).default(0.3),
  unit,
});

/** The trend of the window reaches a limit within so long, or has reached it. */
const ForecastProbe = z.strictObject({
  ...about,
  ...source,
  ...limit,
  kind: z.literal('forecast'),
  over: Duration.default('6h'),
  within: Duration,
  unit,
});

export const OBJECT_STATES = [
  'pod-not-ready',
  'pod-pending',
  'container-restarted',
  'container-oom-killed',
  'container-waiting',
  'workload-unavailable',
  'job-failed',
  'cronjob-missed',
  'claim-unbound',
  'node-not-ready',
  'node-pressure',
  'autoscaler-at-max',
] as const;
export type ObjectState = (typeof OBJECT_STATES)[number];

/** One condition on one field. A path is dotted, `[]` goes through a list (any element will do): `status.conditions[].type`. */
const Condition = z
  .strictObject({
    field: z.string().regex(/^[\w./-]+(\[\])?(\.[\w./-]+(\[\])?)*$/, 'must be a path such as status.conditions[].type'),
    equals: z.union([z.string(), z.number(), z.boolean()]).optional(),
    not: z.union([z.string(), z.number(), z.boolean()]).optional(),
    above: z.number().optional(),
    below: z.number().optional(),
    /** Of a field that holds a time. */
    older: Duration.optional(),
    exists: z.boolean().optional(),
  })
  .refine(({ equals, not, above, below, older, exists }) => {
    return [equals, not, above, below, older, exists].filter((test) => test !== undefined).length === 1;
  }, 'needs exactly one of equals, not, above, below, older, exists');
export type Condition = z.infer<typeof Condition>;

/** Kubernetes objects in a ready-made state, or of a kind for which all conditions hold. */
const ObjectsProbe = z.strictObject({
  ...about,
  kind: z.literal('objects'),
  state: z.enum(OBJECT_STATES).optional(),
  /** As the API spells it: `Pod`, `PersistentVolumeClaim`. */
  object: z.string().min(1).max(100).optional(),
  where: z.array(Condition).min(1).max(10).optional(),
  namespace: z.string().min(1).max(253).optional(),
  /** A state has to last so long. */
  for: Duration.optional(),
  /** Of restarts and kills: how recent. Of a cron job: how long without success. */
  within: Duration.optional(),
  /** Of restarts: more than so many. */
  above: z.number().int().min(0).optional(),
});

/** Events of a type and reason, per object. */
const EventsProbe = z.strictObject({
  ...about,
  kind: z.literal('events'),
  /** Names of reasons, `*` for any text. */
  reasons: z.array(z.string().min(1).max(100)).min(1).max(30),
  eventType: z.string().min(1).max(20).default('Warning'),
  over: Duration.default('1h'),
  /** More than so many occurrences of one object. */
  above: z.number().int().min(0).default(0),
});

const Host = z.strictObject(
  {
    host: z.string().min(1).max(253),
    port: z.number().int().min(1).max(65_535).default(443),
    /** Name asked for by SNI, where it is not the host. */
    servername: z.string().min(1).max(253).optional(),
  },
  {
    error: ({ code }) =>
      code === 'invalid_type' ? 'must be a map such as { host: db.internal.example, port: 5432 }' : undefined,
  },
);
export type CertificateHost = z.infer<typeof Host>;

/** Certificates that expire soon: by a metric of their expiry in epoch seconds, or as hosts show them in a TLS handshake. */
const CertificateProbe = z.strictObject({
  ...about,
  ...source,
  kind: z.literal('certificate'),
  hosts: z.array(Host).min(1).max(50).optional(),
  within: Duration.default('14d'),
});

/** Something that happened too long ago: the time stands in a metric (epoch seconds), or is that of the newest successful Kubernetes job. */
const FreshnessProbe = z.strictObject({
  ...about,
  ...source,
  kind: z.literal('freshness'),
  /** Name of the Job or of its CronJob, `*` for any text. */
  job: z.string().min(1).max(253).optional(),
  namespace: z.string().min(1).max(253).optional(),
  older: Duration,
});

const hasNumbers = ({ query, series }: { readonly query?: unknown; readonly series?: unknown }) =>
  query !== undefined || series !== undefined;
const NUMBERS = 'needs a query (or, for recordings, series: service/metric)';

const KINDS = z.discriminatedUnion('kind', [
  MetricProbe,
  BaselineProbe,
  ForecastProbe,
  ObjectsProbe,
  EventsProbe,
  CertificateProbe,
  FreshnessProbe,
]);

/** A deterministic question that a scheduled check asks before any model is: how to answer it, and which answer is a finding. */
export const Probe = KINDS.superRefine((probe, context) => {
  const problem = lacking(probe);
  if (problem) context.addIssue({ code: 'custom', path: [problem.key], message: problem.message });
});
export type Probe = z.infer<typeof Probe>;
export type ProbeOf<K extends Probe['kind']> = Extract<Probe, { readonly kind: K }>;

/** What no single key can say is wrong. */
function lacking(probe: z.infer<typeof KINDS>): { readonly key: string; readonly message: string } | undefined {
  switch (probe.kind) {
    case 'metric':
    case 'forecast':
      if (!hasNumbers(probe)) return { key: 'query', message: NUMBERS };
      if ((probe.above === undefined) === (probe.below === undefined))
        return { key: 'above', message: 'needs either above or below' };
      return undefined;
    case 'baseline':
      return hasNumbers(probe) ? undefined : { key: 'query', message: NUMBERS };
    case 'objects':
      if ((probe.state === undefined) === (probe.object === undefined || probe.where === undefined))
        return { key: 'state', message: 'needs either state, or object and where' };
      return undefined;
    case 'events':
      return undefined;
    case 'certificate':
      if (hasNumbers(probe) === (probe.hosts !== undefined))
        return { key: 'hosts', message: 'needs either hosts or a query' };
      return undefined;
    case 'freshness':
      if (hasNumbers(probe) === (probe.job !== undefined))
        return { key: 'job', message: 'needs either job or a query' };
      return undefined;
  }
}

/** The probes of one check. Their names differ, for findings are told apart by them. */
export const Probes = z
  .array(Probe)
  .max(40)
  .superRefine((probes, context) => {
    for (const place of namedTwice(probes))
      context.addIssue({ code: 'custom', path: [place, 'name'], message: NAMED_TWICE });
  });

const NAMED_TWICE = 'is the name of another probe of this check';

/** Places of probes whose name an earlier one has. */
function namedTwice(probes: readonly { readonly name?: unknown }[]): readonly number[] {
  const names = probes.map(({ name }) => name);
  return names.flatMap((name, i) => (name !== undefined && names.indexOf(name) < i ? [i] : []));
}

/** What is wrong between keys and between probes of a list as it was written: the schema looks for that only where nothing else is wrong. */
export function contradictionsIn(
  written: unknown,
): readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] {
  if (!Array.isArray(written)) return [];
  const probes = written.map((one: unknown) => (typeof one === 'object' && one !== null ? one : {}));
  return [
    ...namedTwice(probes).map((place) => ({ path: [place, 'name'], message: NAMED_TWICE })),
    ...probes.flatMap((probe, place) => {
      // Only which keys there are is asked for, whatever stands there.
      const problem = lacking(probe as z.infer<typeof KINDS>);
      return problem ? [{ path: [place, problem.key], message: problem.message }] : [];
    }),
  ];
}
