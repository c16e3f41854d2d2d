/** The rules of the file as those of the namespace that the faults are in. */
export const ofNamespace = (rules: object): object =>
  JSON.parse(JSON.stringify(rules).replaceAll('NAMESPACE', 'ops')) as object;

/** Minutes of a metric, in promtool's notation: every value a minute. */
const HEALTHY = {
  'rootnote_build_info{pod="a"}': '1x90',
  rootnote_inbox_waiting: '0x90',
  rootnote_inbox_oldest_age_seconds: '0x90',
  rootnote_inbox_aside: '0x90',
  'rootnote_webhook_requests_total{source="alertmanager",code="202"}': '0+10x90',
  'rootnote_webhook_requests_total{source="alertmanager",code="401"}': '0x90',
  'rootnote_webhook_requests_total{source="alertmanager",code="503"}': '0x90',
  'rootnote_queue_oldest_age_seconds{queue="incidents"}': '20x90',
  'rootnote_worker_stuck{pod="a",queue="incidents"}': '0x90',
  'rootnote_job_locks_lost_total{queue="incidents"}': '0x90',
  'rootnote_investigations_total{outcome="failed"}': '0x90',
  'rootnote_investigations_total{outcome="determined"}': '0+2x90',
  'rootnote_delivery_oldest_age_seconds{destination="slack"}': '5x90',
  'rootnote_deliveries_total{destination="slack",outcome="gave-up"}': '0x90',
  'rootnote_llm_requests_total{model="m",status="ok"}': '0+5x90',
  'rootnote_llm_requests_total{model="m",status="error"}': '0+1x90',
  'rootnote_budget_exhausted_total{budget="day_cost"}': '0x90',
  'rootnote_budget_exhausted_total{budget="turns"}': '0+1x90',
  'rootnote_mcp_tools_disabled_total{server="wiki",reason="changed"}': '0x90',
  rootnote_check_ticks_decided_timestamp_seconds: '0+60x90',
  'rootnote_check_ticks_total{outcome="run"}': '0+1x90',
  'rootnote_check_ticks_total{outcome="missed"}': '0x90',
  rootnote_check_files_broken: '0x90',
};
type Series = Readonly<Record<string, string>>;
const OF_REDIS = /^rootnote_(?:inbox|queue|delivery_)/;

/** What is otherwise than in a healthy one when an alert has to fire; `none` is healthy. A series with an empty text is not there. */
export const FAULTS: Readonly<Record<string, Series>> = {
  none: {},
  RootnoteDown: Object.fromEntries(Object.keys(HEALTHY).map((name) => [name, ''])),
  RootnoteWithoutRedis: Object.fromEntries(
    Object.keys(HEALTHY).flatMap((name) => (OF_REDIS.test(name) ? [[name, '']] : [])),
  ),
  RootnoteRefusesAlerts: { 'rootnote_webhook_requests_total{source="alertmanager",code="503"}': '0+1x90' },
  RootnoteRefusesSender: { 'rootnote_webhook_requests_total{source="alertmanager",code="401"}': '0+1x90' },
  RootnoteDecidesNothing: { rootnote_inbox_oldest_age_seconds: '0x50 0+60x40' },
  RootnoteAlertSetAside: { rootnote_inbox_aside: '0x50 1x40' },
  RootnoteInvestigatesNothing: { 'rootnote_queue_oldest_age_seconds{queue="incidents"}': '0+60x90' },
  RootnoteWorkerStuck: { 'rootnote_worker_stuck{pod="a",queue="incidents"}': '0x50 1x40' },
  RootnoteLosesLocks: { 'rootnote_job_locks_lost_total{queue="incidents"}': '0x50 4+1x40' },
  RootnoteInvestigationsFail: { 'rootnote_investigations_total{outcome="failed"}': '0x50 1x40' },
  RootnoteDeliveryLate: { 'rootnote_delivery_oldest_age_seconds{destination="slack"}': '0+60x90' },
  RootnoteDeliveryGivenUp: { 'rootnote_deliveries_total{destination="slack",outcome="gave-up"}': '0x50 1x40' },
  RootnoteModelFails: { 'rootnote_llm_requests_total{model="m",status="error"}': '0+20x90' },
  RootnoteBudgetSpent: { 'rootnote_budget_exhausted_total{budget="day_cost"}': '0x50 1x40' },
  RootnoteChecksStopped: { rootnote_check_ticks_decided_timestamp_seconds: '0+60x40 2400x50' },
  RootnoteChecksMissed: { 'rootnote_check_ticks_total{outcome="missed"}': '0x50 1x40' },
  RootnoteCheckBroken: { rootnote_check_files_broken: '0x50 1x40' },
  RootnoteToolsDisabled: { 'rootnote_mcp_tools_disabled_total{server="wiki",reason="changed"}': '0x50 1x40' },
};

/** A test of promtool: with this fault, the alert of its name fires and no other. */
export function faultTest(name: string, fault: Series): object {
  const series = Object.entries({ ...HEALTHY, ...fault }).filter(([, values]) => values !== '');
  return {
    name,
    interval: '1m',
    input_series: series.map(([metric, values]) => ({ series: inNamespace(metric), values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: '60m',
        exp_samples: name === 'none' ? [] : [{ labels: `{alertname="${name}"}`, value: 1 }],
      },
    ],
  };
}

function inNamespace(metric: string): string {
  return metric.endsWith('}') ? metric.replace('{', '{namespace="ops",') : `${metric}{namespace="ops"}`;
}
