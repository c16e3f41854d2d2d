import { z } from 'zod';
import { accessSettings } from './access.ts';
import { integer, list, token } from './kinds.ts';

/** What goes into LogQL unquoted. */
const LABEL = /^[A-Za-z_][A-Za-z0-9_]*$/;

const fields = (what: string, product: string, names: string) =>
  list
    .refine((all) => all.length > 0, 'must name at least one')
    .prefault(names)
    .describe(`Fields of ${product} that hold ${what}, in order of preference.`);
const labels = (what: string, names: string) =>
  fields(what, 'Loki', names).refine((all) => all.every((name) => LABEL.test(name)), 'must be names of labels');

const SERVICE = 'the name of the service';
const NAMESPACE = 'the namespace of an alert';
const LEVEL = 'the level of a line';
const TRACE = 'the id of the trace of a line';

/** Servers of log lines. */
export const logs = {
  LOGS_MAX_LINES: integer(100, 1_000_000)
    .default(50_000)
    .describe('Most lines read from one server of logs for one incident: errors first, of the others an even part.'),
  ...accessSettings('LOKI', 'Loki', 'Grafana Loki base URL (without /loki/api/v1).'),
  LOKI_SERVICE_FIELDS: labels(
    SERVICE,
    'service_name,service,app,app_kubernetes_io_name,k8s_deployment_name,container,k8s_container_name,job,pod',
  ),
  LOKI_NAMESPACE_FIELDS: labels(NAMESPACE, 'namespace,k8s_namespace_name,service_namespace'),
  LOKI_LEVEL_FIELDS: labels(LEVEL, 'detected_level,level,severity_text,severity'),
  LOKI_TRACE_FIELDS: labels(TRACE, 'trace_id,traceid,traceId,traceID'),
  ...accessSettings('ELASTICSEARCH', 'Elasticsearch', 'Elasticsearch or OpenSearch base URL.'),
  ELASTICSEARCH_API_KEY: token
    .optional()
    .describe('API key for Elasticsearch, as it is shown encoded.')
    .meta({ secret: true }),
  ELASTICSEARCH_INDEX: z
    .string()
    .regex(/^[^\s/?#"\\<>|]+$/, 'must be names or patterns of indices, comma separated')
    .default('logs-*,filebeat-*,logstash-*,fluent-bit-*')
    .describe('Indices and data streams that hold log lines: names or patterns, comma separated.'),
  ELASTICSEARCH_TIME_FIELD: z.string().min(1).default('@timestamp').describe('Field that holds the time of a line.'),
  ELASTICSEARCH_MESSAGE_FIELDS: fields('the message', 'Elasticsearch', 'message,log,body.text,msg,event.original'),
  ELASTICSEARCH_SERVICE_FIELDS: fields(
    SERVICE,
    'Elasticsearch',
    'service.name,resource.attributes.service.name,kubernetes.labels.app_kubernetes_io/name,kubernetes.labels.app,kubernetes.deployment.name,kubernetes.container.name,kubernetes.container_name,service,app',
  ),
  ELASTICSEARCH_NAMESPACE_FIELDS: fields(
    NAMESPACE,
    'Elasticsearch',
    'kubernetes.namespace,kubernetes.namespace_name,resource.attributes.k8s.namespace.name,namespace',
  ),
  ELASTICSEARCH_LEVEL_FIELDS: fields(LEVEL, 'Elasticsearch', 'log.level,severity_text,level,severity'),
  ELASTICSEARCH_TRACE_FIELDS: fields(TRACE, 'Elasticsearch', 'trace.id,trace_id,traceId'),
  ...accessSettings('VICTORIALOGS', 'VictoriaLogs', 'VictoriaLogs base URL (without /select/logsql).'),
  VICTORIALOGS_SERVICE_FIELDS: fields(
    SERVICE,
    'VictoriaLogs',
    'service.name,service_name,service,app,kubernetes.pod_labels.app.kubernetes.io/name,kubernetes.pod_labels.app,kubernetes.container_name,container,job,pod',
  ),
  VICTORIALOGS_NAMESPACE_FIELDS: fields(
    NAMESPACE,
    'VictoriaLogs',
    'namespace,kubernetes.pod_namespace,kubernetes.namespace_name,k8s.namespace.name',
  ),
  VICTORIALOGS_LEVEL_FIELDS: fields(LEVEL, 'VictoriaLogs', 'level,severity_text,severity,log.level'),
  VICTORIALOGS_TRACE_FIELDS: fields(TRACE, 'VictoriaLogs', 'trace_id,traceId,trace.id'),
} as const;
