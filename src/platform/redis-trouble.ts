import { types } from 'node:util';
import { NotReplicated } from './redis-replicas.ts';

/** What was named is there, and of another kind: no waiting helps. */
const OTHER_KINDS: readonly (readonly [code: RegExp, words: string])[] = [
  [
    /cluster support disabled/,
    'this Redis is no cluster: set REDIS_URL, or REDIS_SENTINELS, instead of REDIS_CLUSTER_NODES',
  ],
  [
    /unknown command ['`]sentinel/i,
    'a Redis answers where a Sentinel should: name the Sentinels in REDIS_SENTINELS (mostly port 26379), or set REDIS_URL instead',
  ],
];
/** What a Sentinel answers, which has a user and a password of its own. */
const OF_SENTINELS: typeof OTHER_KINDS = [
  [/\bNOAUTH\b/, 'a Sentinel asks for a password (NOAUTH): set REDIS_SENTINEL_PASSWORD'],
  [
    /\bWRONGPASS\b/,
    'a Sentinel refuses the user or the password (WRONGPASS): see REDIS_SENTINEL_USERNAME and REDIS_SENTINEL_PASSWORD',
  ],
  [/\bNOPERM\b/, 'a Sentinel does not allow REDIS_SENTINEL_USERNAME to ask for the master (NOPERM)'],
];
/** What Redis answers when it lives and does not do what is asked; the code stays, since it is what people search for. */
const REFUSALS: typeof OTHER_KINDS = [
  [/\bOOM\b/, 'Redis is full and takes nothing new (OOM): raise its maxmemory, or free some'],
  [/\bMISCONF\b/, 'Redis cannot save to its disk and takes nothing new (MISCONF): its log says why'],
  [/\bNOREPLICAS\b/, 'too few replicas follow Redis, and it takes nothing new (NOREPLICAS): see min-replicas-to-write'],
  [/\bREADONLY\b/, 'Redis is a replica and takes nothing new (READONLY)'],
  [/\bLOADING\b/, 'Redis still loads its data (LOADING)'],
  [/\bMASTERDOWN\b/, 'Redis is a replica without its master (MASTERDOWN)'],
  [
    /\bWRONGPASS\b/,
    'Redis refuses the user or the password (WRONGPASS): see REDIS_USERNAME and REDIS_PASSWORD, or REDIS_URL',
  ],
  [/\bNOAUTH\b/, 'Redis asks for a password (NOAUTH): set REDIS_PASSWORD, or one in REDIS_URL'],
  [/\bNOPERM\b/, 'Redis does not allow its user what Rootnote needs (NOPERM): docs/operations.md has the rule'],
  [/\bCLUSTERDOWN\b/, 'the Redis cluster misses some of its masters and takes nothing (CLUSTERDOWN)'],
  [/\b(?:MOVED|CROSSSLOT)\b/, 'Redis is a node of a cluster (MOVED): set REDIS_CLUSTER_NODES instead of REDIS_URL'],
  ...OTHER_KINDS,
  [/No such master|IDONTKNOW/, 'the Sentinels do not know the master REDIS_SENTINEL_MASTER'],
  [/\bEXECABORT\b/, 'Redis refuses a transaction: it is full or takes no writes (EXECABORT)'],
];
/** By the codes of OpenSSL and of Node: why the certificate of the other side, or ours, was not taken. */
const CERTIFICATES: typeof OTHER_KINDS = [
  [
    /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)/,
    'nobody whom Rootnote knows has signed the certificate of Redis: set REDIS_CA_FILE',
  ],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'the certificate of Redis is not valid now'],
  [/ALTNAME_INVALID/, 'the certificate of Redis is for another name'],
  [/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/, 'Redis asks for a certificate: set REDIS_CERT_FILE and REDIS_KEY_FILE'],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/, 'Redis does not speak TLS at this port'],
];
/** What the client says of a connection that never came to be, or that is none of Redis. */
const CONNECTIONS: typeof OTHER_KINDS = [
  [
    /^All sentinels are unreachable.*Connection is closed/s,
    'no Sentinel can be reached: check the hosts and ports of REDIS_SENTINELS, and whether they speak TLS (REDIS_TLS)',
  ],
  [
    /^Failed to refresh slots cache.*Connection is closed/s,
    'no node of the cluster can be reached: check the hosts and ports of REDIS_CLUSTER_NODES, and whether they speak TLS (REDIS_TLS)',
  ],
  [/Unknown RESP type|Protocol error|write EPIPE/, 'what answers there does not speak the protocol of Redis'],
];
const ALL_SENTINELS = /^All sentinels are unreachable/;
const AWAY =
  /^(?:Stream isn't writeable|Cluster isn't ready|Connection is closed|Reached the max retries per request|Too many Cluster redirections|Failed to refresh slots|None of startup nodes|Cluster is |All sentinels are unreachable|connect E|read E|write E|getaddrinfo )/;
const SILENT = /^(?:Command timed out|Socket timeout)/;

/** Why Redis did not do it, in words, when it is away, silent, or takes nothing; undefined for every other error. No message holds an address. */
export function redisTrouble(error: unknown): string | undefined {
  if (!types.isNativeError(error)) return undefined;
  if (error instanceof NotReplicated) return error.message;
  const refusal = redisRefusal(error) ?? certificateTrouble(error);
  if (refusal !== undefined) return refusal;
  if (AWAY.test(error.message)) return 'Redis is not reachable; the log says why';
  return SILENT.test(error.message) ? 'Redis does not answer' : undefined;
}

/** The same of a Redis that answers, and of nothing that others may have said, too. */
export function redisRefusal(error: unknown): string | undefined {
  if (!types.isNativeError(error)) return undefined;
  // Of a transaction, only the errors before it say why it was thrown away.
  const before = 'previousErrors' in error && Array.isArray(error.previousErrors) ? error.previousErrors : [];
  const said = [error.message, ...before.map(String)].join('\n');
  if (error.name === 'ReplyError' || before.length > 0) return wordsFor(said, REFUSALS);
  // Of a cluster or Sentinels, the client's own error quotes the last one of a node.
  const last = 'lastNodeError' in error ? redisRefusal(error.lastNodeError) : undefined;
  if (ALL_SENTINELS.test(error.message)) return wordsFor(said, [...OF_SENTINELS, ...REFUSALS]);
  return last ?? (AWAY.test(error.message) ? wordsFor(said, REFUSALS) : undefined);
}

/** Of an error from connecting: what was named is no cluster, or no Sentinel. */
export function otherKind(error: Error): string | undefined {
  return wordsFor(saidBy(error), OTHER_KINDS);
}

/** For logs and for whoever waits: why there is no connection, in words where they are known. */
export function redisReason(error: Error): string {
  const last = 'lastNodeError' in error && types.isNativeError(error.lastNodeError) ? error.lastNodeError : error;
  const known = redisRefusal(error) ?? certificateTrouble(last) ?? wordsFor(saidBy(error), CONNECTIONS);
  return known ?? (last.message || last.name);
}

/** With what a node of a cluster said last. */
function saidBy(error: Error): string {
  return 'lastNodeError' in error ? `${error.message}\n${String(error.lastNodeError)}` : error.message;
}

function certificateTrouble(error: Error): string | undefined {
  const inner = 'lastNodeError' in error ? error.lastNodeError : error;
  const code = types.isNativeError(inner) && 'code' in inner ? String(inner.code) : '';
  const words = wordsFor(code, CERTIFICATES);
  return words === undefined ? undefined : `${words} (${code})`;
}

function wordsFor(text: string, table: typeof REFUSALS): string | undefined {
  return table.find(([code]) => code.test(text))?.[1];
}
