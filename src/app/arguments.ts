import { parseArgs } from 'node:util';
import { nearest } from '../config/nearest.ts';
import type { RetryRequest } from './deliveries-command.ts';
import type { MemoryRequest } from './memory-command.ts';
import type { SourcesRequest } from './sources-command.ts';

export const ROLES = ['all', 'serve', 'work', 'schedule'] as const;
export type Role = (typeof ROLES)[number];

/** True when a process of this role takes webhooks. */
export function receives(role: Role): boolean {
  return role === 'all' || role === 'serve';
}

export type Command =
  | { readonly kind: 'role'; readonly role: Role }
  | {
      readonly kind: 'investigate';
      readonly alertFile?: string;
      readonly recording?: string;
      /** Seconds after the alert; of a recording, nothing later is shown. */
      readonly untilS?: number;
      /** Seconds after the alert of a second look, which says what has changed since the first. */
      readonly secondLookS?: number;
      readonly offline: boolean;
      /** Prints the brief before the report. */
      readonly brief: boolean;
      readonly json: boolean;
    }
  | { readonly kind: 'doctor'; readonly json: boolean }
  /** What alerts with these labels meet. */
  | { readonly kind: 'route'; readonly labels: string; readonly json: boolean }
  | { readonly kind: 'retry'; readonly request: RetryRequest }
  | { readonly kind: 'read'; readonly what: 'reports' | 'sessions'; readonly id?: string; readonly json: boolean }
  | { readonly kind: 'timeline'; readonly id: string; readonly file: string }
  | { readonly kind: 'incidents'; readonly id?: string; readonly json: boolean }
  | { readonly kind: 'skills'; readonly name?: string; readonly json: boolean }
  | { readonly kind: 'memory'; readonly request: MemoryRequest }
  | { readonly kind: 'mcp'; readonly json: boolean }
  | { readonly kind: 'sources'; readonly request: SourcesRequest }
  | { readonly kind: 'classify' }
  | { readonly kind: 'redact' }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

/** A command line that cannot be understood; the message says what is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `rootnote: receives alerts, investigates them read-only, posts a root-cause report

  rootnote all                       receive, investigate, deliver and run scheduled checks in one process
  rootnote serve | work | schedule   one role
  rootnote investigate ALERT.json    one investigation of a webhook body, without a queue
  rootnote investigate --recording DIR
      --until SECONDS                as it stood so long after the alert: later samples, lines, spans, events and
                                     changes are hidden; object snapshots cannot be rewound and stay
      --second-look SECONDS          look again so long after the alert, and say what has changed since --until
      --offline                      no model: the offline analyst
      --brief                        print the brief, too: what the analyst and the model read
      --json                         only the report, as JSON, on stdout
  rootnote doctor [--json]           what is configured and reachable
  rootnote doctor --route 'severity=critical,team=payments' [--json]
                                     which destinations an alert with these labels reaches, and whether it is muted now
  rootnote incidents list | show ID [--json]
                                     what is open, since when, and every decision about it with its reason
  rootnote reports list | show ID [--json]
  rootnote reports show ID --timeline FILE.png
                                     the evidence in time, as a picture
  rootnote deliveries retry ID [DESTINATION]
                                     send again what a destination was not told: what was given up
  rootnote sessions list | show ID [--json]
                                     ID of the report, the session or the incident: rep_…, ses_…, inc_…
  rootnote skills list | show NAME [--json]
                                     playbooks: the built-in ones and those of SKILLS_DIR
  rootnote memory list [--json] | path
  rootnote memory add 'SUBJECT: ATTRIBUTE = VALUE' | 'X depends_on Y'
                                     facts that outlive an incident
  rootnote mcp list [--json]         tools of the MCP servers, with what a review needs; exit code 1 when one is away
  rootnote sources list [--json]     who may send alerts, where, and how each is protected
  rootnote sources try NAME FILE [--header NAME=VALUE]… [--json]
                                     what a sample body becomes at this source, or why it is refused; stores nothing
  rootnote classify < COMMANDS        one JSON string a line: the class of each command line and whether it may run
  rootnote redact < TEXTS             one JSON string a line: the text without its secrets, and the types of what was found
  rootnote --help | --version

Exit codes: 0 done; 1 it failed: doctor found something broken, or investigate wrote its report without any telemetry;
2 the command line, a setting or the input is wrong.

Settings are environment variables: see .env.example and docs/configuration.md.
`;

/** Reads the arguments after the program's name. Throws UsageError. */
export function parseCommand(argv: readonly string[]): Command {
  const [word, ...rest] = argv;
  if (word === undefined || word === 'help' || asksForHelp(argv)) return { kind: 'help' };
  if (word === '--version' || word === '-v' || word === 'version') return { kind: 'version' };
  const role = ROLES.find((name) => name === word);
  if (role) {
    options(rest, {}, 0);
    return { kind: 'role', role };
  }
  switch (word) {
    case 'investigate':
      return parseInvestigate(rest);
    case 'classify':
    case 'redact':
      options(rest, {}, 0);
      return { kind: word };
    case 'doctor':
      return parseDoctor(rest);
    case 'deliveries':
      return { kind: 'retry', request: parseDeliveries(rest) };
    case 'skills': {
      const { id, json } = parseListOrShow(word, rest, 'NAME');
      return { kind: 'skills', ...(id === undefined ? {} : { name: id }), json };
    }
    case 'memory':
      return { kind: 'memory', request: parseMemory(rest) };
    case 'mcp':
      return parseMcp(rest);
    case 'sources':
      return { kind: 'sources', request: parseSources(rest) };
    case 'incidents':
      return { kind: 'incidents', ...parseListOrShow(word, rest, 'ID') };
    case 'reports':
    case 'sessions':
      if (word === 'reports' && rest.some((argument) => argument.startsWith('--timeline'))) return parseTimeline(rest);
      return { kind: 'read', what: word, ...parseListOrShow(word, rest, 'ID') };
    default:
      throw new UsageError(`'${word}' is no command${suggestion(word)}`);
  }
}

/** What follows `--` is an argument, whatever it looks like. */
function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => word === '--help' || word === '-h');
}

const COMMANDS = [
  ...ROLES,
  'investigate',
  'doctor',
  'classify',
  'redact',
  'incidents',
  'reports',
  'deliveries',
  'sessions',
  'skills',
  'memory',
  'mcp',
  'sources',
  'help',
  'version',
] as const;

function suggestion(word: string): string {
  const meant = nearest(word, COMMANDS);
  return meant === undefined ? '' : `; did you mean '${meant}'?`;
}

function parseInvestigate(argv: readonly string[]): Command {
  const { values, positionals } = options(
    argv,
    {
      recording: { type: 'string' },
      until: { type: 'string' },
      'second-look': { type: 'string' },
      offline: { type: 'boolean' },
      brief: { type: 'boolean' },
      json: { type: 'boolean' },
    },
    1,
  );
  const alertFile = positionals[0];
  const recording = values['recording'];
  if ((alertFile === undefined) === (recording === undefined)) {
    throw new UsageError('investigate takes either ALERT.json or --recording DIR');
  }
  const untilS = readSeconds('until', values['until']);
  if (untilS !== undefined && recording === undefined) throw new UsageError('--until goes with --recording DIR');
  const secondLookS = readSeconds('second-look', values['second-look']);
  if (secondLookS !== undefined && !(untilS !== undefined && secondLookS > untilS)) {
    throw new UsageError('--second-look goes with an earlier --until');
  }
  const [brief, json] = [values['brief'] === true, values['json'] === true];
  if (brief && json) throw new UsageError('--json prints the report alone: leave out --brief');
  return {
    kind: 'investigate',
    ...(alertFile === undefined ? {} : { alertFile }),
    ...(typeof recording === 'string' ? { recording } : {}),
    ...(untilS === undefined ? {} : { untilS }),
    ...(secondLookS === undefined ? {} : { secondLookS }),
    offline: values['offline'] === true,
    brief,
    json,
  };
}

/** The seconds that an option gives; undefined when it is not given. Throws UsageError. */
export function readSeconds(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  if (seconds >= 0 && Number.isFinite(seconds)) return seconds;
  throw new UsageError(`--${name} takes a number of seconds after the alert`);
}

function parseListOrShow(
  what: string,
  argv: readonly string[],
  argument: string,
): { readonly id?: string; readonly json: boolean } {
  const { values, positionals } = options(argv, { json: { type: 'boolean' } }, 2);
  const [verb = 'list', id] = positionals;
  const json = values['json'] === true;
  if (verb === 'list' && id === undefined) return { json };
  if (verb === 'show' && id !== undefined) return { id, json };
  throw new UsageError(`use: rootnote ${what} list, or rootnote ${what} show ${argument}`);
}

function parseTimeline(argv: readonly string[]): Command {
  const { values, positionals } = options(argv, { timeline: { type: 'string' } }, 2);
  const [verb, id] = positionals;
  const file = values['timeline'];
  if (verb === 'show' && id !== undefined && typeof file === 'string' && file !== '')
    return { kind: 'timeline', id, file };
  throw new UsageError('use: rootnote reports show ID --timeline FILE.png');
}

function parseDoctor(argv: readonly string[]): Command {
  const { values } = options(argv, { json: { type: 'boolean' }, route: { type: 'string' } }, 0);
  const json = values['json'] === true;
  const labels = values['route'];
  return typeof labels === 'string' ? { kind: 'route', labels, json } : { kind: 'doctor', json };
}

function parseDeliveries(argv: readonly string[]): RetryRequest {
  const [verb, id, destination] = options(argv, {}, 3).positionals;
  if (verb === 'retry' && id !== undefined) return { id, ...(destination === undefined ? {} : { destination }) };
  throw new UsageError('use: rootnote deliveries retry ID [DESTINATION]');
}

function parseMcp(argv: readonly string[]): Command {
  const { values, positionals } = options(argv, { json: { type: 'boolean' } }, 1);
  if ((positionals[0] ?? 'list') !== 'list') throw new UsageError('use: rootnote mcp list');
  return { kind: 'mcp', json: values['json'] === true };
}

function parseSources(argv: readonly string[]): SourcesRequest {
  const { values, positionals } = options(
    argv,
    { json: { type: 'boolean' }, header: { type: 'string', multiple: true } },
    3,
  );
  const [verb = 'list', name, file] = positionals;
  const json = values['json'] === true;
  const headers = [values['header'] ?? []].flat().map(parseHeader);
  if (verb === 'list' && name === undefined && headers.length === 0) return { verb, json };
  if (verb === 'try' && name !== undefined && file !== undefined)
    return { verb, name, file, headers: Object.fromEntries(headers), json };
  throw new UsageError('use: rootnote sources list, or rootnote sources try NAME FILE [--header NAME=VALUE]');
}

/** `Name=value` or `Name: value`. */
function parseHeader(text: unknown): readonly [string, string] {
  const [, name = '', value = ''] = /^([\w-]+)\s*[=:]\s*(.*)$/s.exec(String(text)) ?? [];
  if (name === '') throw new UsageError('--header takes NAME=VALUE');
  return [name.toLowerCase(), value];
}

function parseMemory(argv: readonly string[]): MemoryRequest {
  const { values, positionals } = options(argv, { json: { type: 'boolean' } }, 2);
  const [verb = 'list', fact] = positionals;
  const json = values['json'] === true;
  if (verb === 'list' && fact === undefined) return { verb, json };
  if (verb === 'path' && fact === undefined && !json) return { verb };
  if (verb === 'add' && fact !== undefined && !json) return { verb, fact };
  throw new UsageError("use: rootnote memory list, rootnote memory path, or rootnote memory add 'FACT' (in quotes)");
}

type Options = NonNullable<Parameters<typeof parseArgs>[0]>['options'];

function options(argv: readonly string[], known: NonNullable<Options>, maxPositionals: number) {
  try {
    const parsed = parseArgs({ args: [...argv], options: known, allowPositionals: maxPositionals > 0 });
    if (parsed.positionals.length > maxPositionals) {
      throw new UsageError(`'${parsed.positionals[maxPositionals] ?? ''}' is one argument too many`);
    }
    return parsed;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // The rest of Node's message explains `--`, which nobody asked about.
    const [message = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(message, { cause: error });
  }
}
