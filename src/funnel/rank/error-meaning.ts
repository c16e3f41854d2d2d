import type { RootCauseType } from '../../domain/root-cause-type.ts';

/** First match decides. Only wording that names a resource or a mechanism; everything else is the code's own error. */
const MEANINGS: readonly (readonly [RegExp, RootCauseType])[] = [
  [/out of memory|oom-?kill|cannot allocate memory|java heap space/i, 'memory_exhaustion'],
  [/no space left|disk (is )?full|disk quota/i, 'disk_full'],
  [/no such host|name resolution|nxdomain|unknownhost|could not resolve|\bdns\b/i, 'dns'],
  [/x509|certificate|tls handshake|ssl handshake/i, 'certificate'],
  [
    /too many connections|connection pool|pool (is )?exhausted|remaining connection slots|max(imum)? clients/i,
    'connection_exhaustion',
  ],
  [/quota exceeded|exceeded quota|rate limit|throttl|too many requests/i, 'quota'],
  [/permission denied|access denied|forbidden|unauthori[sz]ed|authentication failed/i, 'permission'],
  [/deadlock|lock wait timeout|sqlexception|sqlstate|relation .* does not exist/i, 'database'],
  [
    /connection refused|econnrefused|connection reset|unreachable|timed? ?out|deadline exceeded|unavailable/i,
    'dependency_failure',
  ],
];

/** Root cause type that the wording of an error line names. */
export function meaningOfError(text: string): RootCauseType {
  return MEANINGS.find(([pattern]) => pattern.test(text))?.[1] ?? 'code_error';
}
