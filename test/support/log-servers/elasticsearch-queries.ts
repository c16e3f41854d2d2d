/** A document by the full names of its fields; the time as milliseconds. */
export type Doc = Readonly<Record<string, string>>;
type Matches = (doc: Doc) => boolean;

export interface QueryRules {
  /** Whether a field is cut into words. */
  readonly isText: (field: string) => boolean;
  readonly allowsExpensive: boolean;
}

/** Throws what Elasticsearch answers as 400. */
export function illegal(reason: string): never {
  throw new SyntaxError(reason);
}

/** What a query of the DSL matches, of the kinds that the providers use. Unknown kinds and keys are refused, as Elasticsearch does. */
export function compileQuery(query: unknown, rules: QueryRules): Matches {
  const [kind, body] = onlyEntry(query);
  switch (kind) {
    case 'bool':
      return compileBool(body, rules);
    case 'range':
      return compileRange(body);
    case 'terms': {
      const [field, values] = onlyEntry(body);
      if (!Array.isArray(values)) illegal('[terms] query requires an array');
      return exactly(field, values as readonly string[], rules);
    }
    case 'term': {
      const [field, value] = onlyEntry(body);
      return exactly(field, [value as string], rules);
    }
    case 'exists': {
      const { field } = body as { readonly field: string };
      return (doc) => doc[field] !== undefined;
    }
    case 'wildcard':
      return compileWildcard(body, rules);
    case 'match': {
      const [field, text] = onlyEntry(body);
      const wanted = new Set(wordsOf(text as string));
      return (doc) => wordsOf(doc[field] ?? '').some((word) => wanted.has(word));
    }
    default:
      return illegal(`unknown query [${kind}]`);
  }
}

function onlyEntry(value: unknown): readonly [string, unknown] {
  const entries = Object.entries(value as object);
  const [first] = entries;
  if (!first || entries.length !== 1)
    illegal(`[${entries[1]?.[0]}] malformed query, expected [END_OBJECT] but found [FIELD_NAME]`);
  return first;
}

function compileBool(body: unknown, rules: QueryRules): Matches {
  const {
    filter = [],
    must_not: not = [],
    should = [],
    minimum_should_match: least = 0,
    ...unknown
  } = body as {
    readonly filter?: readonly unknown[];
    readonly must_not?: readonly unknown[];
    readonly should?: readonly unknown[];
    readonly minimum_should_match?: number;
  };
  const [stranger] = Object.keys(unknown);
  if (stranger) illegal(`[bool] query does not support [${stranger}]`);
  const compile = (queries: readonly unknown[]) => queries.map((query) => compileQuery(query, rules));
  const [all, none, some] = [compile(filter), compile(not), compile(should)];
  return (doc) =>
    all.every((matches) => matches(doc)) &&
    !none.some((matches) => matches(doc)) &&
    some.filter((matches) => matches(doc)).length >= least;
}

function compileRange(body: unknown): Matches {
  const [field, { gte, lt, format, ...unknown }] = onlyEntry(body) as [string, Record<string, unknown>];
  if (format !== 'epoch_millis' || Object.keys(unknown).length > 0) illegal('[range] query does not support this');
  return (doc) => Number(doc[field]) >= Number(gte) && Number(doc[field]) < Number(lt);
}

function exactly(field: string, values: readonly string[], { isText }: QueryRules): Matches {
  const plain = field.replace(/\.keyword$/, '');
  // Of words a whole text is rarely one.
  if (plain === field && isText(field)) return (doc) => wordsOf(doc[field] ?? '').some((word) => values.includes(word));
  return (doc) => values.includes(doc[plain] ?? '');
}

function compileWildcard(body: unknown, { isText, allowsExpensive }: QueryRules): Matches {
  if (!allowsExpensive)
    illegal("[wildcard] queries cannot be executed when 'search.allow_expensive_queries' is set to false.");
  const [field, { value, case_insensitive: any, ...unknown }] = onlyEntry(body) as [string, Record<string, unknown>];
  if (any !== true || Object.keys(unknown).length > 0) illegal('[wildcard] query does not support this');
  const source = String(value).replace(
    /\\([\\*?])|([*])|([?])|([^\\*?])/g,
    (_, escaped: string, star, one, other: string) =>
      star ? '.*' : one ? '.' : (escaped ?? other).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
  );
  const pattern = new RegExp(`^${source}$`, 'isu');
  return (doc) => {
    const text = doc[field];
    if (text === undefined) return false;
    return isText(field) ? wordsOf(text).some((word) => pattern.test(word)) : pattern.test(text);
  };
}

/** The standard analyser, nearly: words of letters, digits and what joins them, in lower case. */
function wordsOf(text: string): readonly string[] {
  return (text.match(/[\p{L}\p{N}_]+(?:[.'][\p{L}\p{N}_]+)*/gu) ?? []).map((word) => word.toLowerCase());
}
