import { z } from 'zod';
import { readSettingsFile, secretVariable } from '../../platform/settings-file.ts';
import type { Mistake } from '../../policy/explain-issues.ts';
import type { SenderAuth } from './auth.ts';
import { Mappings } from './mapping.ts';
import { PRESETS, presetMappings, SIGNATURE_HEADERS, type Preset } from './presets/index.ts';

/** The file cannot be used; each line of the message names the line of the file and the path in it. */
export class SourcesFileError extends Error {
  override readonly name = 'SourcesFileError';
}

/** A sender of SOURCES_FILE. */
export interface SenderSettings {
  readonly name: string;
  readonly mappings: Mappings;
  /** A topic of SNS proves itself by the signature of SNS. */
  readonly sender:
    { readonly kind: 'http'; readonly auth: SenderAuth } | { readonly kind: 'sns'; readonly topics: readonly string[] };
}

export interface SourcesFile {
  readonly senders: readonly SenderSettings[];
  /** Values that came from the environment: for exact-value redaction. */
  readonly secrets: readonly string[];
}

type Environment = (name: string) => string | undefined;

/** Sources that are set up by variables of their own. */
const TAKEN: readonly string[] = ['alertmanager', 'pagerduty', 'grafana'];
const Variables = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z.array(secretVariable, { error: 'must be the name of an environment variable, or a list of names' }).min(1).max(10),
);
const Hmac = z.strictObject({
  header: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'must be the name of a header')
    .optional(),
  secret: Variables,
  encoding: z.enum(['hex', 'base64']).default('hex'),
  prefix: z.string().max(40).default(''),
});
/** Without the fields of hmac, which redaction would take for a secret. */
const AUTH = 'must be open, {bearer: VARIABLE}, {basic: VARIABLE} or {hmac: …} (docs/sources.md)';
const Auth = z.union(
  [
    z.literal('open'),
    z
      .strictObject({ bearer: Variables.optional(), basic: secretVariable.optional(), hmac: Hmac.optional() })
      .refine(({ bearer, basic, hmac }) => [bearer, basic, hmac].filter(Boolean).length === 1, AUTH),
  ],
  { error: AUTH },
);
type Auth = z.infer<typeof Auth>;

const Entry = z
  .strictObject({
    name: z
      .string({ error: 'is missing: it is the end of the path /webhooks/NAME' })
      .regex(/^[a-z][a-z0-9-]{0,39}$/, 'must be lower-case letters, digits and hyphens, at most 40')
      .refine((name) => !TAKEN.includes(name), 'is taken: its settings are environment variables'),
    auth: Auth.optional(),
    preset: z.enum(PRESETS).optional(),
    mapping: Mappings.optional(),
    topics: z
      .array(z.string().regex(/^arn:aws[\w-]*:sns:[\w-]+:\d{12}:[\w.-]+$/, 'must be the ARN of an SNS topic'))
      .min(1)
      .optional(),
  })
  // Asked even where something else is wrong: then the fields may be anything.
  .superRefine(judgeTogether, { when: ({ value }) => typeof value === 'object' && value !== null });
type Entry = z.infer<typeof Entry>;

function judgeTogether(entry: Entry, context: z.core.$RefinementCtx): void {
  const problem = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  const isSns = entry.preset === 'cloudwatch-sns';
  if (entry.preset && entry.mapping) problem('mapping', 'leave it out: the preset brings one');
  if (isSns && !entry.topics) problem('topics', 'is needed with cloudwatch-sns: the ARNs of its topics');
  if (isSns && entry.auth) problem('auth', 'leave it out: SNS signs its messages');
  if (!isSns && entry.topics) problem('topics', 'goes with the preset cloudwatch-sns');
  if (!isSns && entry.auth === undefined) problem('auth', 'is needed: how the sender proves who it is, or open');
  if (headerIsMissing(entry)) problem('auth', 'needs hmac.header: the name of the header with the signature');
}

const File = z.strictObject({
  sources: z.array(Entry).superRefine(tellTwins, { when: ({ value }) => Array.isArray(value) }),
});

function tellTwins(entries: readonly Partial<Entry>[], context: z.core.$RefinementCtx): void {
  const names = entries.map((entry) => entry?.name);
  names.forEach((name, index) => {
    if (typeof name !== 'string' || names.indexOf(name) === index) return;
    context.addIssue({ code: 'custom', path: [index, 'name'], message: `${name} is there twice` });
  });
}

const EXAMPLE = '`sources: [{ name: shop, auth: { bearer: SHOP_TOKEN } }]`';

/**
 * Reads the senders (YAML, and so JSON). What is secret stands in the environment; the file names the variable. `mayLackSecrets`: variables that are not set are no mistake; their senders refuse everything. Throws
 * `SourcesFileError`, whose message names everything that is wrong and no value.
 */
export function readSourcesFile(
  text: string,
  file: string,
  environment: Environment,
  { mayLackSecrets = false } = {},
): SourcesFile {
  const inspect = (raw: unknown) => judgeVariables(raw, environment, mayLackSecrets);
  const read = readSettingsFile(text, file, { schema: File, example: EXAMPLE, inspect });
  if ('problems' in read) throw new SourcesFileError(read.problems, { cause: read.cause });
  const entries = read.data.sources;
  const variables = entries.flatMap(({ auth }) => variablesOf(auth));
  return {
    senders: entries.map((entry) => toSettings(entry, environment)),
    secrets: variables.flatMap((name) => secretParts(environment(name) ?? '')),
  };
}

/** Of every `auth` that can be read, also where the rest of the file cannot. */
function judgeVariables(raw: unknown, environment: Environment, mayLackSecrets: boolean): readonly Mistake[] {
  const Rough = z.looseObject({ sources: z.array(z.looseObject({ auth: Auth.optional().catch(undefined) })) });
  const { data: { sources } = { sources: [] } } = Rough.safeParse(raw);
  return sources.flatMap(({ auth }, index): readonly Mistake[] => {
    const path = ['sources', index, 'auth'];
    const unset = variablesOf(auth).filter((name) => !environment(name));
    const told = unset.map((name) => ({ path, message: `the variable ${name} is not set` }));
    const pair =
      auth !== undefined && auth !== 'open' && auth.basic !== undefined ? environment(auth.basic) : undefined;
    if (!pair || /^[^:]+:.+$/s.test(pair)) return mayLackSecrets ? [] : told;
    return [...told, { path: [...path, 'basic'], message: 'the variable must have the form user:password' }];
  });
}

function variablesOf(auth: Auth | undefined): readonly string[] {
  if (!auth || auth === 'open') return [];
  return [...(auth.bearer ?? []), ...(auth.basic === undefined ? [] : [auth.basic]), ...(auth.hmac?.secret ?? [])];
}

/** Of `user:password` the password alone is a secret, too. */
function secretParts(value: string): readonly string[] {
  const password = /^[^:]+:(.{6,})$/s.exec(value)?.[1];
  return password === undefined ? [value] : [value, password];
}

function toSettings({ name, auth, preset, mapping, topics = [] }: Entry, environment: Environment): SenderSettings {
  const mappings = mapping ?? presetMappings(preset ?? 'plain');
  if (preset === 'cloudwatch-sns') return { name, mappings, sender: { kind: 'sns', topics } };
  return { name, mappings, sender: { kind: 'http', auth: toAuth(auth ?? 'open', preset, environment) } };
}

function toAuth(auth: Auth, preset: Preset | undefined, environment: Environment): SenderAuth {
  if (auth === 'open') return { kind: 'open' };
  const unset = variablesOf(auth).filter((name) => !environment(name));
  if (unset.length > 0) return { kind: 'unset', variables: unset };
  const values = (names: readonly string[]) => names.map((name) => environment(name) ?? '');
  if (auth.bearer) return { kind: 'bearer', tokens: values(auth.bearer) };
  if (auth.basic !== undefined) return { kind: 'basic', userAndPassword: environment(auth.basic) ?? '' };
  const {
    header = (preset && SIGNATURE_HEADERS[preset]) ?? '',
    secret = [],
    encoding = 'hex',
    prefix = '',
  } = auth.hmac ?? {};
  return { kind: 'hmac', header, secrets: values(secret), encoding, prefix };
}

function headerIsMissing({ auth, preset }: Pick<Entry, 'auth' | 'preset'>): boolean {
  if (!auth || auth === 'open' || !auth.hmac) return false;
  return auth.hmac.header === undefined && !(preset && SIGNATURE_HEADERS[preset]);
}
