import type { RootCauseType } from '../../domain/root-cause-type.ts';

/** Names of remote ends, clients and observers: things that are measured or measuring, but not run by anyone here. */
const PSEUDO_NAME =
  /(_|-|\b)(remote|client|external|unknown|passthrough|blackhole|loadgenerator|load-generator|locust|k6|jaeger|prometheus|otel|grafana)\b/i;

/** Ends marked as remote, and public host names. */
const REMOTE_NAME = /(_|-|\b)(remote|external)\b|^[\w-]+(\.[\w-]+)*\.(com|net|org|io|dev|cloud)$/i;
const DATABASE_NAME =
  /postgres|pgsql|mysql|mariadb|mongo|redis|valkey|memcache|cassandra|dynamo|elasticsearch|database|sql\b|\brds\b|(^|[-_.:])db([-_.:]|$)/i;

export function isPseudoService(name: string): boolean {
  return PSEUDO_NAME.test(name);
}

/** What trouble that arises in a service itself is called, as far as its name says what it is. */
export function natureOf(service: string): RootCauseType {
  if (DATABASE_NAME.test(service)) return 'database';
  return REMOTE_NAME.test(service) ? 'external_provider' : 'unknown';
}
