import { z } from 'zod';
import { checks } from './settings/checks.ts';
import { destinations } from './settings/destinations.ts';
import { furtherTools } from './settings/further-tools.ts';
import { host } from './settings/host.ts';
import { inbound } from './settings/inbound.ts';
import { investigation } from './settings/investigation.ts';
import { knowledge } from './settings/knowledge.ts';
import { kubernetes } from './settings/kubernetes.ts';
import { listening } from './settings/listening.ts';
import { logs } from './settings/logs.ts';
import { model } from './settings/model.ts';
import { redaction } from './settings/redaction.ts';
import { redis } from './settings/redis.ts';
import { telemetry } from './settings/telemetry.ts';
import { traces } from './settings/traces.ts';
import { tracing } from './settings/tracing.ts';

/**
 * Every setting, with its default and meaning. `.env.example` and docs/configuration.md are generated from this
 * (`npm run docs`); a test fails when they differ. `secret: true` in the metadata keeps a value out of every output.
 */
export const settingGroups = [
  { title: 'Listening and state', settings: listening },
  { title: 'Redis', settings: redis },
  { title: 'Inbound webhooks', settings: inbound },
  { title: 'Telemetry', settings: telemetry },
  { title: 'Logs', settings: logs },
  { title: 'Kubernetes', settings: kubernetes },
  { title: 'Traces', settings: traces },
  { title: 'Investigation', settings: investigation },
  { title: 'Model', settings: model },
  { title: 'Playbooks and memory', settings: knowledge },
  { title: 'Further tools', settings: furtherTools },
  { title: 'Commands and files', settings: host },
  { title: 'Redaction', settings: redaction },
  { title: 'Destinations', settings: destinations },
  { title: 'Scheduled checks', settings: checks },
  { title: 'Tracing', settings: tracing },
] as const;

export const Config = z.object({
  ...listening,
  ...redis,
  ...inbound,
  ...telemetry,
  ...logs,
  ...kubernetes,
  ...traces,
  ...investigation,
  ...model,
  ...knowledge,
  ...furtherTools,
  ...host,
  ...redaction,
  ...destinations,
  ...checks,
  ...tracing,
});
export type Config = Readonly<z.infer<typeof Config>>;

/** Settings that do nothing without another one. */
export const PARTNERS = [
  { setting: 'SLACK_BOT_TOKEN', needs: 'SLACK_CHANNEL' },
  { setting: 'REPORT_WEBHOOK_URL', needs: 'REPORT_WEBHOOK_SECRET' },
  { setting: 'PAGERDUTY_FROM', needs: 'PAGERDUTY_API_TOKEN' },
  { setting: 'JIRA_URL', needs: 'JIRA_TOKEN' },
  { setting: 'JIRA_URL', needs: 'JIRA_PROJECT' },
  { setting: 'JIRA_TOKEN', needs: 'JIRA_URL' },
  { setting: 'GITHUB_ISSUES_TOKEN', needs: 'GITHUB_ISSUES_REPOSITORY' },
  { setting: 'GITHUB_ISSUES_REPOSITORY', needs: 'GITHUB_ISSUES_TOKEN' },
  { setting: 'GRAFANA_TIMESTAMP_HEADER', needs: 'GRAFANA_WEBHOOK_SECRET' },
  { setting: 'KUBERNETES_CONTEXT', needs: 'KUBERNETES_KUBECONFIG' },
  { setting: 'ELASTICSEARCH_API_KEY', needs: 'ELASTICSEARCH_URL' },
  { setting: 'REDIS_SENTINEL_PASSWORD', needs: 'REDIS_SENTINELS' },
  { setting: 'REDIS_SENTINEL_USERNAME', needs: 'REDIS_SENTINEL_PASSWORD' },
  { setting: 'REDIS_USERNAME', needs: 'REDIS_PASSWORD' },
  { setting: 'REDIS_CERT_FILE', needs: 'REDIS_KEY_FILE' },
  { setting: 'REDIS_KEY_FILE', needs: 'REDIS_CERT_FILE' },
] as const satisfies readonly { readonly setting: keyof Config; readonly needs: keyof Config }[];

/** Settings that name a file which has to be there when the process starts. */
export const FILE_SETTINGS = [
  'COMMANDS_KUBECONFIG',
  'KUBERNETES_KUBECONFIG',
  'PROMETHEUS_CA_FILE',
  'LOKI_CA_FILE',
  'ELASTICSEARCH_CA_FILE',
  'VICTORIALOGS_CA_FILE',
  'TEMPO_CA_FILE',
  'JAEGER_CA_FILE',
  'REDIS_CA_FILE',
  'REDIS_CERT_FILE',
  'REDIS_KEY_FILE',
  'QUERIES_FILE',
  'TOPOLOGY_FILE',
  'MCP_CONFIG_FILE',
  'REDACT_PATTERNS_FILE',
  'SOURCES_FILE',
  'ROUTES_FILE',
] as const satisfies readonly (keyof Config)[];
