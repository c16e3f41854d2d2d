import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { readSettingsFile, secretVariable } from '../platform/settings-file.ts';
import type { Mistake } from '../policy/explain-issues.ts';

/** The file cannot be used; each line of the message names the line of the file and the path in it. */
export class McpConfigError extends Error {
  override readonly name = 'McpConfigError';
}

/** One server, with the values of the environment that its entry refers to. */
export interface McpServerSettings {
  readonly name: string;
  readonly transport: StdioSettings | HttpSettings;
  /** Exact names of the tools that may be exposed. */
  readonly allowTools: readonly string[];
  /** Reviewed hash of each tool's definition. A tool without one is not exposed. */
  readonly toolsSha256: Readonly<Record<string, string>>;
  /** Tools that are exposed although they carry no `readOnlyHint`. */
  readonly trustWithoutHint: readonly string[];
  /** Of one call. */
  readonly timeoutMs: number;
  /** Of one message (stdio) or one answer (HTTP). */
  readonly maxBytes: number;
  readonly forSubAgents: boolean;
}

export interface StdioSettings {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface HttpSettings {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Networks beside the open internet that the host may resolve to. */
  readonly allowAddresses: readonly string[];
}

export interface McpSettings {
  readonly servers: readonly McpServerSettings[];
  /** Values that came from the environment: for exact-value redaction. */
  readonly secrets: readonly string[];
}

type Environment = (name: string) => string | undefined;

const variable = z.string().regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable');
const toolName = z.string().min(1).max(128);
const HeaderReference = z.strictObject(
  {
    env: secretVariable,
    prefix: z
      .string()
      .regex(/^[A-Za-z]{1,20} $/, 'must be a scheme and a blank, such as "Bearer "')
      .optional(),
  },
  {
    error: ({ code }) =>
      code === 'invalid_type'
        ? 'must be { env: VARIABLE, prefix: "Bearer " }: secrets stand in the environment'
        : undefined,
  },
);
const common = {
  allowTools: z.array(toolName).min(1).max(100),
  toolsSha256: z.record(toolName, z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')).default({}),
  trustWithoutHint: z.array(toolName).default([]),
  timeoutMs: z.number().int().min(100).max(300_000).default(15_000),
  maxBytes: z.number().int().min(1024).max(10_485_760).default(1_048_576),
  subagents: z.boolean().default(false),
};
const StdioEntry = z.strictObject({
  transport: z.literal('stdio'),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.array(variable).default([]),
  ...common,
});
const HttpEntry = z.strictObject({
  transport: z.literal('http'),
  url: z.url().refine(isSafeUrl, 'must be https (http only on a loopback address), without user and password'),
  headers: z.record(z.string().regex(/^[\w-]+$/, 'must be the name of a header'), HeaderReference).default({}),
  allowAddresses: z.array(z.string().refine(isNetwork, 'must be a network such as 10.0.0.0/8')).default([]),
  ...common,
});
const Entry = z.discriminatedUnion('transport', [StdioEntry, HttpEntry]);
type Entry = z.infer<typeof Entry>;

const McpFile = z.strictObject({
  servers: z.record(
    // Without an underscore, so that `mcp__server__tool` has one meaning.
    z.string().regex(/^[a-z][a-z0-9-]{0,29}$/, 'must be lower-case letters, digits and hyphens, at most 30'),
    // Asked even where something else is wrong: then the fields may be anything.
    Entry.superRefine(requireAllowed, { when: () => true }),
  ),
});

function requireAllowed(entry: Entry, context: z.core.$RefinementCtx): void {
  if (typeof entry !== 'object' || !Array.isArray(entry.allowTools)) return;
  for (const field of ['toolsSha256', 'trustWithoutHint'] as const) {
    const given: unknown = entry[field];
    const names = Array.isArray(given) ? given : Object.keys(given ?? {});
    for (const name of names.filter((name) => typeof name === 'string' && !entry.allowTools.includes(name)))
      context.addIssue({ code: 'custom', path: [field], message: `${name} is not in allowTools` });
  }
}

const EXAMPLE = '`servers: { wiki: { transport: stdio, command: wiki-mcp, allowTools: [search] } }`';

/**
 * Reads the servers (YAML, and so JSON). What is secret stands in the environment; the file names the variable. Throws `McpConfigError`, whose
 * message names everything that is wrong and no value.
 */
export function readMcpSettings(text: string, file: string, environment: Environment): McpSettings {
  const inspect = (raw: unknown) => unsetVariables(raw, environment);
  const read = readSettingsFile(text, file, { schema: McpFile, example: EXAMPLE, inspect });
  if ('problems' in read) throw new McpConfigError(read.problems, { cause: read.cause });
  const entries = Object.entries(read.data.servers);
  return {
    servers: entries.map(([name, entry]) => toSettings(name, entry, environment)),
    secrets: secretsOf(
      entries.map(([, entry]) => entry),
      environment,
    ),
  };
}

/** Of the entries that can be read, also where others cannot. */
function unsetVariables(raw: unknown, environment: Environment): readonly Mistake[] {
  const { data: { servers } = { servers: {} } } = z
    .looseObject({ servers: z.record(z.string(), z.unknown()) })
    .safeParse(raw);
  return Object.entries(servers).flatMap(([name, value]) => {
    const { data: entry } = Entry.safeParse(value);
    const unset = entry ? referencesOf(entry).filter(({ variable: wanted }) => !environment(wanted)) : [];
    return unset.map(({ path, variable: wanted }) => ({
      path: ['servers', name, ...path],
      message: `the variable ${wanted} is not set`,
    }));
  });
}

interface Reference {
  readonly path: readonly string[];
  readonly variable: string;
}

function referencesOf(entry: Entry): readonly Reference[] {
  if (entry.transport === 'stdio') return entry.env.map((name) => ({ path: ['env'], variable: name }));
  return Object.entries(entry.headers).map(([name, { env }]) => ({ path: ['headers', name], variable: env }));
}

function toSettings(name: string, entry: Entry, environment: Environment): McpServerSettings {
  const { allowTools, toolsSha256, trustWithoutHint, timeoutMs, maxBytes, subagents } = entry;
  const value = (wanted: string) => environment(wanted) ?? '';
  const transport: McpServerSettings['transport'] =
    entry.transport === 'stdio'
      ? {
          kind: 'stdio',
          command: entry.command,
          args: entry.args,
          // PATH says which program the command is; nothing else is passed on unasked.
          env: Object.fromEntries(['PATH', ...entry.env].map((wanted) => [wanted, value(wanted)])),
        }
      : {
          kind: 'http',
          url: entry.url,
          headers: Object.fromEntries(
            Object.entries(entry.headers).map(([header, { env, prefix }]) => [header, `${prefix ?? ''}${value(env)}`]),
          ),
          allowAddresses: entry.allowAddresses,
        };
  return { name, transport, allowTools, toolsSha256, trustWithoutHint, timeoutMs, maxBytes, forSubAgents: subagents };
}

/** Variables of every process: folders and languages, which masking would take out of ordinary text. */
const ORDINARY = new Set(['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM']);

function secretsOf(entries: readonly Entry[], environment: Environment): readonly string[] {
  const names = entries.flatMap(referencesOf).map((reference) => reference.variable);
  return [...new Set(names)].filter((name) => !ORDINARY.has(name)).flatMap((name) => environment(name) ?? []);
}

/** A URL may carry no credentials: they would stand in the file and in messages. */
function isSafeUrl(text: string): boolean {
  const { protocol, hostname, username, password } = new URL(text);
  if (username || password) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}

/** `localhost` is whatever it resolves to; the address is checked when it is connected to. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || isLoopbackAddress(hostname.replace(/^\[|\]$/g, ''));
}

export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

function isNetwork(text: string): boolean {
  return ipaddr.isValidCIDR(text);
}
