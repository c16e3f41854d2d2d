import { CALLS, DEFINITIONS } from '../services/definitions.ts';

export const STEP_SECONDS = 5;
const WINDOW = '20s';

interface Recorded {
  readonly service: string;
  readonly metric: string;
  readonly query: string;
}

const rate = (name: string, labels: string) => `rate(${name}{${labels}}[${WINDOW}])`;
const quantile = (q: number, name: string, labels: string) =>
  `histogram_quantile(${q}, sum by (le) (${rate(`${name}_bucket`, labels)}))`;

function ofService(service: string): Recorded[] {
  const own = `service="${service}"`;
  const served = `${own},route!=""`;
  const queries: Readonly<Record<string, string>> = {
    http_request_duration_seconds_p50: quantile(0.5, 'http_request_duration_seconds', served),
    http_request_duration_seconds_p95: quantile(0.95, 'http_request_duration_seconds', served),
    http_requests_per_second: `sum(${rate('http_requests_total', served)})`,
    http_errors_per_second: `sum(${rate('http_requests_total', `${served},status=~"5.."`)}) or vector(0)`,
    http_client_requests_in_flight: `sum(http_client_requests_in_flight{${own}})`,
    process_cpu_usage_cores: `sum(${rate('process_cpu_seconds_total', own)})`,
    process_resident_memory_bytes: `sum(process_resident_memory_bytes{${own}})`,
    nodejs_eventloop_lag_p99_seconds: `max(nodejs_eventloop_lag_p99_seconds{${own}})`,
    db_pool_connections_in_use: `sum(db_pool_connections_in_use{${own}})`,
    db_pool_connections_max: `sum(db_pool_connections_max{${own}})`,
    db_pool_waiting_requests: `sum(db_pool_waiting_requests{${own}})`,
  };
  return Object.entries(queries).map(([metric, query]) => ({ service, metric, query }));
}

/** Of one call, as its caller sees it; listed under the callee. */
function ofCall(from: string, to: string): Recorded[] {
  const call = `service="${from}",peer="${to}"`;
  const queries: Readonly<Record<string, string>> = {
    client_duration_seconds_p50: quantile(0.5, 'http_client_request_duration_seconds', call),
    client_duration_seconds_p95: quantile(0.95, 'http_client_request_duration_seconds', call),
    client_requests_per_second: `sum(${rate('http_client_request_duration_seconds_count', call)})`,
    client_errors_per_second: `sum(${rate('http_client_request_duration_seconds_count', `${call},status=~"5.."`)}) or vector(0)`,
  };
  return Object.entries(queries).map(([metric, query]) => ({ service: to, metric: `${metric}_from:${from}`, query }));
}

interface RangeAnswer {
  readonly data: { readonly result: readonly { readonly values: readonly (readonly [number, string])[] }[] };
}

/** Rows `time,service,metric,value` of everything the demo records, from Prometheus' own answers. NaN (no traffic) is left out. */
export async function readMetrics(prometheusUrl: string, fromSeconds: number, toSeconds: number): Promise<string[]> {
  const wanted = [
    ...DEFINITIONS.flatMap(({ name }) => ofService(name)),
    ...CALLS.flatMap(([from, to]) => ofCall(from, to)),
  ];
  const rows: string[] = [];
  for (const { service, metric, query } of wanted) {
    const parameters = new URLSearchParams({
      query,
      start: String(fromSeconds),
      end: String(toSeconds),
      step: String(STEP_SECONDS),
    });
    const response = await fetch(`${prometheusUrl}/api/v1/query_range?${parameters.toString()}`);
    if (!response.ok) throw new Error(`Prometheus answered ${response.status} to ${query}`);
    const answer = (await response.json()) as RangeAnswer;
    for (const [time, value] of answer.data.result[0]?.values ?? []) {
      const number = Number(value);
      if (Number.isFinite(number)) rows.push(`${time},${service},${metric},${Number(number.toPrecision(6))}`);
    }
  }
  return rows;
}
