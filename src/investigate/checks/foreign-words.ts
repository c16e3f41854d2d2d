import type { Conclusion } from '../../domain/report.ts';

/** What a report may repeat, and what not. */
export interface ForeignWords {
  /** Texts that are for the agent alone: its instructions, what it remembers. */
  readonly secretTexts: readonly string[];
  /** The word that fences untrusted text. */
  readonly nonce: string;
  /** Hosts of pages that the incident and its evidence name; addresses elsewhere are the model's, or whoever told it. */
  readonly knownHosts: ReadonlySet<string>;
}

/** So many words in a row are no coincidence. */
const ECHO_WORDS = 12;
const ECHO = '(removed: it repeats what is for the agent alone)';
const FENCE_TAG = /[<‹]\s*\/?\s*untrusted[^>]*>?/gi;
const ADDRESS = /\b(?:https?|ftp):\/\/[^\s<>"')\]]+/gi;
/** Pings of chat systems that reach everyone. */
const PING = /<!\w[^>]*>|@+(?=(?:channel|here|everyone|all|room)\b)/gi;
/** Names that only resolve inside. */
const INTERNAL_HOST =
  /^[^.]+$|\.(?:svc|local|internal|lan|cluster\.local)$|^(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./;

/**
 * A conclusion without what an obedient model may have been told to put in: its instructions and memory, the fence, addresses that nothing of the
 * incident names, pings of everyone. Commands keep their addresses: nothing makes links of them, and they are judged by what they do. Pure.
 */
export function withoutForeignWords(
  conclusion: Conclusion,
  words: ForeignWords,
): { readonly conclusion: Conclusion; readonly removed: readonly string[] } {
  const echoes = new Set(words.secretTexts.flatMap((text) => runsOf(text)));
  const removed = new Set<string>();
  const clean = (text: string, path: string): string => {
    if (runsOf(text).some((run) => echoes.has(run))) {
      removed.add(`${path}: it repeated what is for the agent alone.`);
      return ECHO;
    }
    const unfenced = text.replaceAll(words.nonce, '[nonce]').replace(FENCE_TAG, ' ');
    const isCommand = /\.(?:command|rollback)$/.test(path);
    const cleaned = isCommand
      ? unfenced
      : unfenced.replace(PING, ' ').replace(ADDRESS, (address) => ofKnownHost(address, words));
    if (cleaned !== text) removed.add(`${path}: a part that has no place in a report.`);
    return cleaned.trim() || ECHO;
  };
  return { conclusion: mapText(conclusion, clean, '') as Conclusion, removed: [...removed] };
}

function ofKnownHost(address: string, { knownHosts }: ForeignWords): string {
  const host = hostOf(address);
  return host !== undefined && (knownHosts.has(host) || INTERNAL_HOST.test(host)) ? address : '(address removed)';
}

export function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname : undefined;
}

/** Every run of `ECHO_WORDS` words, in lower case and without what is between them. */
function runsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words
    .slice(0, Math.max(0, words.length - ECHO_WORDS + 1))
    .map((_, i) => words.slice(i, i + ECHO_WORDS).join(' '));
}

/** Ids and words of closed lists are too short to be anything else, and pass through. */
function mapText(value: unknown, clean: (text: string, path: string) => string, path: string): unknown {
  if (typeof value === 'string') return clean(value, path);
  if (Array.isArray(value)) return value.map((item, i) => mapText(item, clean, `${path}[${i}]`));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapText(item, clean, path ? `${path}.${key}` : key)]),
  );
}
