const MIN_NAME = 3;
/** No name that anything resolves is longer (RFC 1035); a label may hold any text, and the names become one pattern. */
const MAX_NAME = 253;
/** Longer messages hold payloads; who is complained about stands in front. */
const MAX_TEXT = 2000;

/** What stands before or after a name that is used as one: an address, a quotation, a preposition of calling, an answer. */
const BEFORE_NAME =
  /(?:\/\/|@|["'`[(]|\b(?:to|from|with|by|service|host|server|upstream|calling|call|connect(?:ing)?|(?:query|call|request|command|operation|read|write|lookup) on)[ =:]+["']?)$/i;
const AFTER_NAME =
  /^(?::\d|\.svc\b|\.[\w-]+\.svc\b| service\b| server\b| (?:answered|responded|replied|returned)(?: with)?(?: status| http)?[ =:]+(?:\d{3}\b|<\*>))/i;

/** What follows these is the name of an account or of a part of a database, which is often called like a service. */
const BEFORE_OTHER_NAME =
  /\b(user(name)?|role|login|account|owner|database|dbname|schema|table|topic)\b["'` =:(]{1,5}$/i;

/**
 * Finds service names in a text, in order of appearance. Whole names only, longer ones before names inside them. A name that is a plain
 * word (`user`, `order`) counts only where it is used as a name: "user 17 not found" complains about no service.
 */
export function mentionFinder(names: readonly string[]): (text: string) => readonly string[] {
  const usable = names
    .filter((name) => name.length >= MIN_NAME && name.length <= MAX_NAME)
    .sort((a, b) => b.length - a.length);
  if (usable.length === 0) return () => [];
  const quoted = usable.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`(?<![\\w-])(?:${quoted.join('|')})(?![\\w-])`, 'gi');
  const byLowerCase = new Map(usable.map((name) => [name.toLowerCase(), name]));
  return (message) => {
    const text = message.slice(0, MAX_TEXT);
    return [...text.matchAll(pattern)].flatMap((match) => {
      if (BEFORE_OTHER_NAME.test(text.slice(Math.max(0, match.index - 20), match.index))) return [];
      const isUsedAsName = !/^[a-z]+$/i.test(match[0]) || isInNamePlace(text, match.index, match[0].length);
      return isUsedAsName ? (byLowerCase.get(match[0].toLowerCase()) ?? []) : [];
    });
  };
}

function isInNamePlace(text: string, at: number, length: number): boolean {
  return (
    BEFORE_NAME.test(text.slice(Math.max(0, at - 20), at)) || AFTER_NAME.test(text.slice(at + length, at + length + 40))
  );
}
