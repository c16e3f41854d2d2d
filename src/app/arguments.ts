import { nearest } from '../policy/nearest.ts';
import type { DeliveriesRequest } from './deliveries-command.ts';
import { parseCheckRun } from './check-run-arguments.ts';
import { parseInvestigate } from './investigate-arguments.ts';
import type { MemoryRequest } from './memory-command.ts';
import { options, parseListOrShow, parseListedKinds, UsageError } from './options.ts';
import {
  parseCheck,
  parseDeliveries,
  parseDoctor,
  parseMcp,
  parseMemory,
  parseSources,
  parseTimeline,
} from './request-arguments.ts';
import type { SourcesRequest } from './sources-command.ts';

export const ROLES = ['all', 'serve', 'work', 'schedule'] as const;
export type Role = (typeof ROLES)[number];

/** True when a process of this role takes webhooks. */
export function receives(role: Role): boolean {
  return role === 'all' || role === 'serve';
}

/** True when a process of this role takes jobs of investigations, sub-agents and deliveries. */
export function investigates(role: Role): boolean {
  return role === 'all' || role === 'work';
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
  | { readonly kind: 'deliveries'; readonly request: DeliveriesRequest }
  | {
      readonly kind: 'read';
      readonly what: 'reports' | 'sessions';
      readonly id?: string;
      readonly checks?: boolean;
      readonly json: boolean;
    }
  | { readonly kind: 'timeline'; readonly id: string; readonly file: string }
  | { readonly kind: 'incidents'; readonly id?: string; readonly checks?: boolean; readonly json: boolean }
  | { readonly kind: 'skills'; readonly name?: string; readonly json: boolean }
  | { readonly kind: 'memory'; readonly request: MemoryRequest }
  | { readonly kind: 'checks'; readonly json: boolean }
  | {
      readonly kind: 'check-run';
      /** Of a check in JOBS_DIR, or a file that ends in `.md`. */
      readonly name: string;
      readonly recording?: string;
      readonly offline: boolean;
      readonly json: boolean;
    }
  | { readonly kind: 'mcp'; readonly json: boolean }
  | { readonly kind: 'sources'; readonly request: SourcesRequest }
  | { readonly kind: 'classify' }
  | { readonly kind: 'redact' }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

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
      return { kind: word, request: parseDeliveries(rest) };
    case 'skills': {
      const { id, json } = parseListOrShow(word, rest, 'NAME');
      return { kind: 'skills', ...(id === undefined ? {} : { name: id }), json };
    }
    case 'memory':
      return { kind: 'memory', request: parseMemory(rest) };
    case 'check':
      return rest[0] === 'run' ? parseCheckRun(rest.slice(1)) : parseCheck(rest);
    case 'mcp':
      return parseMcp(rest);
    case 'sources':
      return { kind: 'sources', request: parseSources(rest) };
    case 'incidents':
      return { kind: 'incidents', ...parseListedKinds(word, rest) };
    case 'reports':
      if (rest.some((argument) => argument.startsWith('--timeline'))) return parseTimeline(rest);
      return { kind: 'read', what: word, ...parseListedKinds(word, rest) };
    case 'sessions':
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
  'check',
  'mcp',
  'sources',
  'help',
  'version',
] as const;

function suggestion(word: string): string {
  const meant = nearest(word, COMMANDS);
  return meant === undefined ? '' : `; did you mean '${meant}'?`;
}
