import type { MetricQuery, QueryResult } from '../../../domain/provider.ts';
import type { MetricSeries } from '../../../domain/telemetry.ts';
import { wildcard } from '../../wildcard.ts';
import { answer } from '../../queries/answer.ts';

/** They are summed up and ranked before anybody reads them. */
const MOST_SERIES = 500;

export function findSeries(all: readonly MetricSeries[], query: MetricQuery): QueryResult<MetricSeries> {
  const pattern = query.query.trim().slice(0, 500);
  const found = seriesMatching(all, pattern);
  if (found.length === 0) {
    const services = [...new Set(all.map(({ service }) => service))];
    const known = services.slice(0, 40).join(', ');
    const problem = `no series matches ${JSON.stringify(pattern)}; write service or service/metric. Services: ${known}`;
    return answer([], [problem]);
  }
  const cut = found.map((series) => cutToWindow(series, query)).filter(({ values }) => values.length > 0);
  return answer(cut.slice(0, MOST_SERIES), [
    cut.length > MOST_SERIES && `the first ${MOST_SERIES} of ${cut.length} matching series`,
    cut.length === 0 && `${found.length} series match, but none has a sample in this window`,
  ]);
}

/** A whole service first: names of services may hold slashes themselves. */
function seriesMatching(series: readonly MetricSeries[], query: string): readonly MetricSeries[] {
  const whole = wildcard(query);
  const byService = series.filter(({ service }) => whole(service));
  if (byService.length > 0) return byService;
  return series.filter(({ service, metric }) => whole(`${service}/${metric}`));
}

function cutToWindow(series: MetricSeries, { fromMs, toMs }: MetricQuery): MetricSeries {
  const first = series.timesMs.findIndex((timeMs) => timeMs >= fromMs);
  const end = series.timesMs.findLastIndex((timeMs) => timeMs <= toMs) + 1;
  const start = first < 0 ? end : first;
  return { ...series, timesMs: series.timesMs.subarray(start, end), values: series.values.subarray(start, end) };
}
