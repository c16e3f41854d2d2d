import { stringLiteral } from '../prometheus/promql.ts';
import type { TraceSearch } from '../traces/trace-server.ts';

/**
 * The TraceQL of a search. Names come from alerts and models, so they are escaped (TraceQL's strings are Go's, as PromQL's are): they cannot leave their
 * quotes.
 */
export function traceQl({
  service,
  operation,
  minDurationMs = 0,
  failedOnly,
}: Pick<TraceSearch, 'service' | 'operation' | 'minDurationMs' | 'failedOnly'>): string {
  const conditions = [
    service === undefined ? '' : `resource.service.name = ${stringLiteral(service)}`,
    operation === undefined ? '' : `name = ${stringLiteral(operation)}`,
    minDurationMs > 0 ? `duration >= ${Math.floor(minDurationMs * 1000)}us` : '',
    failedOnly ? FAILED : '',
  ].filter((condition) => condition !== '');
  return conditions.length === 0 ? '{ }' : `{ ${conditions.join(' && ')} }`;
}

/** As `failed-span.ts` has it: older instrumentations of servers set an HTTP status and nothing else. */
export const FAILED =
  '(status = error || kind = server && (span.http.response.status_code >= 500 || span.http.status_code >= 500))';
