import { ERROR_LEVEL_SPELLINGS, ERROR_WORDS } from '../logs/error-lines.ts';
import { toMs, type FieldMatch, type LineFilter, type LogWindow } from '../logs/log-source.ts';
import type { FieldUse } from './fields.ts';

export type Query = Readonly<Record<string, unknown>>;

/** What the indices have of the fields that settings name. */
export interface KnownFields {
  readonly time: string;
  readonly message: readonly string[];
  readonly level: readonly string[];
  readonly uses: ReadonlyMap<string, FieldUse>;
  /** False where the cluster refuses `wildcard` (search.allow_expensive_queries). */
  readonly mayUseWildcards: boolean;
}

/**
 * The query for a filter, built as data: untrusted text is a value in it and never a query language. Where the message is cut into words a substring
 * cannot be asked for exactly: what comes is then more than what is meant.
 */
export function toQuery(filter: LineFilter, known: KnownFields): Query {
  const { fields, contains, telling } = filter;
  const errors = telling === undefined ? undefined : tellsOfErrors(known);
  return {
    bool: {
      filter: [
        timeRange(filter, known.time),
        ...fields.filter((match) => !isUnset(match)).map((match) => condition(match, known)),
        ...(contains === undefined ? [] : containing(contains, known)),
        ...(telling === 'errors' && errors ? [errors] : []),
      ],
      must_not: [
        // Reading what is archived takes minutes.
        { term: { _tier: 'data_frozen' } },
        ...fields.filter(isUnset).map(({ field }) => ({ exists: { field } })),
        ...(telling === 'others' && errors ? [errors] : []),
      ],
    },
  };
}

function isUnset(match: FieldMatch): boolean {
  return 'set' in match && !match.set;
}

export function timeRange({ fromNs, untilNs }: LogWindow, field: string): Query {
  return { range: { [field]: { gte: toMs(fromNs), lt: toMs(untilNs), format: 'epoch_millis' } } };
}

function condition(match: FieldMatch, { uses }: KnownFields): Query {
  if ('set' in match) return { exists: { field: match.field } };
  return { terms: { [uses.get(match.field)?.exact ?? match.field]: match.values } };
}

/** By the level of a line; where it has none, by its words. */
function tellsOfErrors({ level, message, uses, mayUseWildcards }: KnownFields): Query {
  const levels = level.map((field) => {
    const { exact = field, isNumber = false } = uses.get(field) ?? {};
    return { terms: { [exact]: isNumber ? ERROR_LEVEL_NUMBERS : ERROR_LEVEL_SPELLINGS } };
  });
  const words = message.flatMap((field): readonly Query[] => {
    if (mayUseWildcards) return ERROR_WORDS.map((word) => anywhere(field, word));
    return [{ match: { [field]: WHOLE_WORDS.join(' ') } }];
  });
  const byWords = {
    bool: { must_not: level.map((field) => ({ exists: { field } })), should: words, minimum_should_match: 1 },
  };
  return { bool: { should: [...levels, ...(words.length > 0 ? [byWords] : [])], minimum_should_match: 1 } };
}

const ERROR_LEVEL_NUMBERS = ERROR_LEVEL_SPELLINGS.filter((spelling) => /^\d+$/.test(spelling));
const WHOLE_WORDS = [...ERROR_WORDS, 'errors', 'failed', 'failure', 'failing'];

/** Conditions that everything with this text meets, and little else; none where nothing of it can be asked for. */
function containing(text: string, { message, uses, mayUseWildcards }: KnownFields): readonly Query[] {
  if (!mayUseWildcards || message.length === 0) return [];
  const inAny = (of: (field: string) => Query | undefined): readonly Query[] => {
    const should = message.map(of);
    return should.every((query) => query !== undefined) ? [{ bool: { should, minimum_should_match: 1 } }] : [];
  };
  return inAny((field) => {
    if (uses.get(field)?.isText !== true) return anywhere(field, text);
    // Every analyser keeps a run of letters and digits together, whatever else it does with the text around.
    const runs = text.match(/[a-z0-9]+/gi) ?? [];
    return runs.length > 0 ? { bool: { filter: runs.map((run) => anywhere(field, run)) } } : undefined;
  });
}

/** Of a text field: in any of its words. */
function anywhere(field: string, text: string): Query {
  const value = `*${text.replace(/[\\*?]/g, '\\$&')}*`;
  return { wildcard: { [field]: { value, case_insensitive: true } } };
}
