import type { RootCauseType } from '../../domain/root-cause-type.ts';
import { errorBucket, type ErrorBucket } from '../logs/error-taxonomy.ts';

/** What an error line says about its cause. */
export interface ErrorMeaning {
  readonly type: RootCauseType;
  /**
   * Where in the text a resource of the writer's own is named; what stands behind it is only the other end: `pool exhausted: no connection to
   * ledger`. Another service named before it is who said so: `ledger answered: pool exhausted`.
   */
  readonly ownAt?: number;
}

interface Wording {
  readonly pattern: RegExp;
  readonly type: RootCauseType;
  readonly isOwn?: true;
}

/** First match decides: wording that names a resource or a mechanism, the most specific first. */
const WORDINGS: readonly Wording[] = [
  {
    pattern: /out of memory|outofmemory|oom-?kill|cannot allocate memory|java heap space|heap out of/i,
    type: 'memory_exhaustion',
  },
  {
    pattern: /no space left|disk (is )?full|disk quota|enospc|read-only file ?system/i,
    type: 'disk_full',
  },
  // A pool is its holder's: the line names the other end only because that is where the connections go.
  {
    pattern:
      /\bpool\b.{0,40}(exhaust|empty|timed? ?out|full|limit)|(exhaust|no (free|available|idle)|get|obtain|acquir|wait).{0,40}\bpool\b/i,
    type: 'connection_exhaustion',
    isOwn: true,
  },
  { pattern: /too many open files|emfile|enfile/i, type: 'connection_exhaustion', isOwn: true },
  {
    pattern: /too many (clients|connections)|remaining connection slots|max(imum)? (clients|connections)/i,
    type: 'connection_exhaustion',
  },
  {
    pattern: /no such host|name resolution|nxdomain|unknownhost|enotfound|eai_again|could not resolve|\bdns\b/i,
    type: 'dns',
  },
  { pattern: /x509|certificate|(tls|ssl) (handshake|alert)|cert_has_expired/i, type: 'certificate' },
  {
    pattern: /quota exceeded|exceeded quota|rate.?limit|throttl|too many requests|resource ?exhausted/i,
    type: 'quota',
  },
  {
    pattern: /permission denied|access denied|forbidden|unauthori[sz]ed|authentication failed|password authentication/i,
    type: 'permission',
  },
  {
    pattern:
      /deadlock|lock wait|could not obtain lock|slow query|statement timeout|sqlexception|sqlstate|relation .* does not exist/i,
    type: 'database',
  },
  {
    pattern: /queue (is )?full|consumer lag|backlog|rejectedexecution|task .{0,20}rejected/i,
    type: 'queue_backlog',
  },
  {
    pattern: /connection refused|econnrefused|connection reset|unreachable|deadline exceeded|unavailable/i,
    type: 'dependency_failure',
  },
];

/** What the taxonomy's buckets mean where no wording above decides. A missing thing and an unknown error say nothing. */
const BUCKETS: Readonly<Record<ErrorBucket, RootCauseType>> = {
  ConnectionTimeout: 'dependency_failure',
  ConnectionRefused: 'dependency_failure',
  DNSResolution: 'dns',
  AuthenticationError: 'permission',
  OutOfMemory: 'memory_exhaustion',
  DiskFull: 'disk_full',
  RateLimited: 'quota',
  SchemaValidation: 'code_error',
  NullReference: 'code_error',
  PermissionDenied: 'permission',
  ResourceNotFound: 'unknown',
  SyntaxError: 'code_error',
  ImportError: 'code_error',
  Exception: 'code_error',
  Unknown: 'unknown',
};

/** Reads an error line: `text` is its wording with variables masked, so that an order number is no status code; `unknown` when it names no cause. */
export function meaningOfError(text: string): ErrorMeaning {
  const wording = WORDINGS.find(({ pattern }) => pattern.test(text));
  if (!wording) return { type: BUCKETS[errorBucket(text)] };
  return wording.isOwn ? { type: wording.type, ownAt: text.search(wording.pattern) } : { type: wording.type };
}
