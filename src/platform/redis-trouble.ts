/** What Redis answers when it lives and does not do what is asked; the code stays, since it is what people search for. */
const REFUSALS: readonly (readonly [code: RegExp, words: string])[] = [
  [/\bOOM\b/, 'Redis is full and takes nothing new (OOM): raise its maxmemory, or free some'],
  [/\bMISCONF\b/, 'Redis cannot save to its disk and takes nothing new (MISCONF): its log says why'],
  [/\bREADONLY\b/, 'Redis is a replica and takes nothing new (READONLY)'],
  [/\bLOADING\b/, 'Redis still loads its data (LOADING)'],
  [/\b(?:NOAUTH|WRONGPASS|NOPERM)\b/, 'Redis refuses the credentials or the user of REDIS_URL (NOAUTH)'],
  [/\bEXECABORT\b/, 'Redis refuses a transaction: it is full or takes no writes (EXECABORT)'],
];
const AWAY =
  /^(?:Stream isn't writeable|Connection is closed|Reached the max retries per request|connect E|read E|write E|getaddrinfo )/;
const SILENT = /^(?:Command timed out|Socket timeout)/;

/** Why Redis did not do it, in words, when it is away, silent, or takes nothing; undefined for every other error. No message holds an address. */
export function redisTrouble(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (AWAY.test(error.message)) return 'Redis is not reachable; the log says why';
  return SILENT.test(error.message) ? 'Redis does not answer' : redisRefusal(error);
}

/** The same of a Redis that answers, and of nothing that others may have said, too. */
export function redisRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // Of a transaction, only the errors before it say why it was thrown away.
  const before = 'previousErrors' in error && Array.isArray(error.previousErrors) ? error.previousErrors : [];
  if (error.name !== 'ReplyError' && before.length === 0) return undefined;
  const said = [error.message, ...before.map(String)].join('\n');
  return REFUSALS.find(([code]) => code.test(said))?.[1];
}
