import { z } from 'zod';

const flag = z
  .enum(['true', 'false', '1', '0', 'yes', 'no'])
  .transform((value) => value === 'true' || value === '1' || value === 'yes');
const integer = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
};
const usDollars = z.coerce
  .number({ error: 'must be an amount in US dollars, such as 0.5' })
  .positive({ error: 'must be an amount above 0, such as 0.5' })
  .max(100_000, { error: 'must be at most 100000' });
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);
const url = z
  .url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' })
  .transform((value) => value.replace(/\/+$/, ''));
const basicAuth = z.string().regex(/^[^:]+:.+$/s, 'must have the form user:password');

const listening = {
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  PORT: integer(0, 65535).default(8080).describe('Port to listen on; 0 picks a free one.'),
  STATE_DIR: z.string().default('.rootnote').describe('Folder for the embedded Redis and report files.'),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'must be a URL that starts with redis:// or rediss://' })
    .optional()
    .describe('redis:// or rediss:// URL. Unset: a private redis-server is started in STATE_DIR.')
    .meta({ secret: true }),
  REDIS_PREFIX: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,40}$/, 'must be 1 to 40 letters, digits, _ or -')
    .default('rootnote')
    .describe('Prefix of every Redis key. Change it when several installations share one Redis.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least level that is logged: fatal, error, warn, info, debug, trace or silent.'),
  SHUTDOWN_GRACE_MS: integer(1000, 600_000)
    .default(25_000)
    .describe('Time to finish or checkpoint work after SIGTERM.'),
} as const;

const inbound = {
  ALERTMANAGER_BEARER_TOKENS: list
    .optional()
    .describe('Accepted bearer tokens of Alertmanager, comma separated (two for rotation).')
    .meta({ secret: true }),
  ALERTMANAGER_BASIC_AUTH: basicAuth
    .optional()
    .describe('Accepted user:password of Alertmanager.')
    .meta({ secret: true }),
  ALLOW_UNAUTHENTICATED: flag
    .default(false)
    .describe('Accept webhooks without credentials on an address other than loopback.'),
  WEBHOOK_BODY_LIMIT_BYTES: integer(1024, 104_857_600).default(10_485_760).describe('Largest accepted webhook body.'),
} as const;

const telemetry = {
  PROMETHEUS_URL: url.optional().describe('Prometheus, Thanos, Mimir or VictoriaMetrics base URL (without /api/v1).'),
  PROMETHEUS_BEARER_TOKEN: z.string().optional().describe('Bearer token for Prometheus.').meta({ secret: true }),
  PROMETHEUS_BASIC_AUTH: basicAuth.optional().describe('user:password for Prometheus.').meta({ secret: true }),
  PROMETHEUS_HEADERS: list
    .optional()
    .describe('Extra headers, comma separated `Name=value` (for example X-Scope-OrgID=tenant).')
    .meta({ secret: true }),
  PROMETHEUS_CA_FILE: z.string().optional().describe('PEM file with the certificate authority of Prometheus.'),
  PROMETHEUS_TIMEOUT_MS: integer(100, 300_000).default(15_000).describe('Deadline of one request to Prometheus.'),
  PROMETHEUS_MAX_SERIES: integer(10, 100_000).default(2000).describe('Most series read for one incident.'),
  PROMETHEUS_MAX_RESPONSE_BYTES: integer(10_000, 1_000_000_000)
    .default(33_554_432)
    .describe('Most bytes read of one answer of Prometheus.'),
  MAX_LOG_LINES: integer(1000, 10_000_000)
    .default(1_000_000)
    .describe(
      'Most log lines looked at for one incident. Of more an even part is kept: least of what is said most, errors and seldom lines whole.',
    ),
  MAX_SPANS: integer(1000, 10_000_000)
    .default(1_000_000)
    .describe('Most spans looked at for one incident. Of more, an even part of the traces is kept.'),
  MAX_SERIES: integer(10, 100_000)
    .default(10_000)
    .describe(
      'Most metric series looked at for one incident, of all providers together; those nearest to the alert are kept.',
    ),
  RECORDING_DIR: z
    .string()
    .optional()
    .describe('Folder of a recorded incident that is read as if it were live: for demonstrations and tests.'),
  QUERIES_FILE: z
    .string()
    .optional()
    .describe('YAML with the queries to ask for an alert; replaces the built-in map (docs/configuration.md).'),
  TOPOLOGY_FILE: z
    .string()
    .optional()
    .describe('JSON `{services, edges: [{from, to}]}`: who calls whom, when no provider knows it.'),
} as const;

const investigation = {
  BASELINE_MINUTES: integer(5, 10_080)
    .default(60)
    .describe(
      'Minutes of telemetry before the alert that are read and taken as normal. Raise it for alerts that fire long after the trouble began.',
    ),
  EVENT_WINDOW_SECONDS: integer(10, 86_400)
    .default(300)
    .describe('How far from the start of the alert an event (a deployment, a restart) may be to count as related.'),
  BRIEF_TOKEN_BUDGET: integer(500, 200_000).default(5820).describe('Most estimated tokens of the brief.'),
  FUNNEL_MEMORY_MB: integer(64, 65_536)
    .default(1024)
    .describe(
      'Most memory of the thread that distils one incident. What does not fit is thinned out, and the report says so.',
    ),
  WORKER_CONCURRENCY: integer(0, 1000)
    .default(4)
    .describe('Investigations at the same time in one worker process; 0 leaves them to other processes.'),
  SUB_AGENT_CONCURRENCY: integer(0, 1000)
    .default(8)
    .describe(
      'Sub-agents at the same time in one worker process, beside its investigations; 0 leaves them to other processes.',
    ),
  JOB_LOCK_MS: integer(1000, 600_000)
    .default(15_000)
    .describe(
      'A worker that is silent for so long is taken for dead, and its work goes on elsewhere. Raise it where machines are so busy that workers lose their locks.',
    ),
  INVESTIGATION_TIMEOUT_MS: integer(1000, 3_600_000).default(300_000).describe('Deadline of one investigation.'),
} as const;

const model = {
  ANTHROPIC_API_KEY: z
    .string()
    .optional()
    .describe('Key of the Anthropic API. Unset: reports come from the offline analyst.')
    .meta({ secret: true }),
  ANTHROPIC_BASE_URL: url.default('https://api.anthropic.com').describe('Base URL of the Messages API.'),
  MODEL_ID: z.string().default('claude-sonnet-5-5').describe('Model that investigates.'),
  AGENT_MAX_TURNS: integer(1, 100)
    .default(12)
    .describe('Most requests to the model in one investigation; the report is written with what is known by then.'),
  AGENT_MAX_TOKENS: integer(1000, 100_000_000)
    .default(800_000)
    .describe(
      'Most input and output tokens of one investigation, sub-agents and what the prompt cache serves included.',
    ),
  AGENT_MAX_COST_USD: usDollars
    .optional()
    .describe(
      'Most that one investigation may cost, sub-agents included, in US dollars. Unset: 3 for a model whose price is known, else no limit but AGENT_MAX_TOKENS.',
    ),
  AGENT_MAX_COST_USD_PER_DAY: usDollars
    .optional()
    .describe(
      'Most that all investigations of a day (UTC) may cost together, in US dollars. Above it the offline analyst reports, and the report says so. Unset: no limit.',
    ),
  MODEL_MAX_OUTPUT_TOKENS: integer(256, 64_000).default(4096).describe('Most output tokens of one turn.'),
  MODEL_IDLE_TIMEOUT_MS: integer(10, 600_000)
    .default(60_000)
    .describe('A model stream that says nothing for so long is cut and retried.'),
} as const;

const knowledge = {
  SKILLS_DIR: z
    .string()
    .default('~/.rootnote/skills')
    .describe('Folder with playbooks of your own; one of the same name goes before a built-in one (skills/README.md).'),
  MEMORY_STORE: z
    .enum(['auto', 'file', 'redis'])
    .default('auto')
    .describe(
      'Where remembered facts are: file (STATE_DIR/memory.md; replicas need a common volume), redis (one list for all replicas), or auto: redis when REDIS_URL is set, else file.',
    ),
} as const;

const furtherTools = {
  MCP_CONFIG_FILE: z
    .string()
    .optional()
    .describe('YAML or JSON with the MCP servers whose read-only tools the agent may use (docs/mcp.md).'),
} as const;

const host = {
  COMMANDS_ENABLED: flag
    .default(true)
    .describe(
      'The agent may run read-only commands that the gate allows (docs/security.md) and read files, on the machine where Rootnote runs. Not in replays.',
    ),
  COMMANDS_KUBECONFIG: z
    .string()
    .optional()
    .describe(
      'Kubeconfig of an identity with the role view and without Secrets, for kubectl and helm. Unset: they are not run.',
    ),
  COMMAND_TIMEOUT_MS: integer(100, 120_000).default(10_000).describe('Deadline of one command line of the agent.'),
  READ_ROOTS: list
    .default(['/var/log', '/var/lib', '/var/spool', '/etc', '/proc', '/sys', '/run', '/tmp', '/opt', '/srv', '/usr'])
    .describe(
      'Folders, comma separated, that files are read of. Keys, passwords, tokens, processes and devices are never read.',
    ),
} as const;

const redaction = {
  REDACT_PATTERNS_FILE: z
    .string()
    .optional()
    .describe('YAML list of `{type, pattern, flags}`: what is masked beside the built-in rules (docs/security.md).'),
} as const;

const destinations = {
  REPORT_DIR: z.string().optional().describe('Folder for reports as JSON files. Unset: STATE_DIR/reports.'),
  SLACK_BOT_TOKEN: z
    .string()
    .optional()
    .describe('Bot token (chat:write). Full mode: threads and updates.')
    .meta({ secret: true }),
  SLACK_CHANNEL: z.string().optional().describe('Channel id that reports go to; needed with SLACK_BOT_TOKEN.'),
  SLACK_WEBHOOK_URL: url
    .optional()
    .describe('Incoming webhook. Reduced mode: no threads, no updates.')
    .meta({ secret: true }),
  SLACK_API_URL: url.default('https://slack.com/api').describe('Base URL of the Slack Web API.'),
  REPORT_WEBHOOK_URL: url.optional().describe('URL that receives every report as a signed Standard Webhooks request.'),
  REPORT_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/=]{32,}$/, 'must have the form whsec_<base64 of 24 to 64 bytes>')
    .optional()
    .describe('Signing secret of REPORT_WEBHOOK_URL.')
    .meta({ secret: true }),
  REPORT_WEBHOOK_ALLOW_PRIVATE: flag
    .default(false)
    .describe('Allow REPORT_WEBHOOK_URL to resolve to a private or loopback address.'),
} as const;

const checks = {
  JOBS_DIR: z.string().default('jobs').describe('Folder with scheduled checks, one Markdown file each.'),
} as const;

const tracing = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url
    .optional()
    .describe(
      'Base URL of an OpenTelemetry collector (OTLP over HTTP, JSON). Unset, and no traces endpoint: no tracing.',
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url
    .optional()
    .describe('Full URL for traces; goes before OTEL_EXPORTER_OTLP_ENDPOINT, which gets /v1/traces appended.'),
  OTEL_EXPORTER_OTLP_HEADERS: list
    .transform((pairs) => pairs.map(percentDecoded))
    .refine((pairs) => pairs.every((pair) => /^[\w-]+=./.test(pair)), 'must be name=value, comma separated')
    .optional()
    .describe('Headers for the collector, comma separated `name=value`, values percent-encoded.')
    .meta({ secret: true }),
  OTEL_SERVICE_NAME: z.string().default('rootnote').describe('Name of this service in traces.'),
  OTEL_TRACES_SAMPLER: z
    .enum(['always_on', 'always_off', 'traceidratio'])
    .default('always_on')
    .describe('Which traces are recorded that begin here; what continues another one follows that one.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of traces from 0 to 1, for the sampler traceidratio.'),
} as const;

/** A `%` that encodes nothing stands for itself. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Every setting, with its default and meaning. `.env.example` and docs/configuration.md are generated from this
 * (`npm run docs`); a test fails when they differ. `secret: true` in the metadata keeps a value out of every output.
 */
export const settingGroups = [
  { title: 'Listening and state', settings: listening },
  { title: 'Inbound webhooks', settings: inbound },
  { title: 'Telemetry', settings: telemetry },
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
  ...inbound,
  ...telemetry,
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
] as const satisfies readonly { readonly setting: keyof Config; readonly needs: keyof Config }[];

/** Settings that name a file which has to be there when the process starts. */
export const FILE_SETTINGS = [
  'COMMANDS_KUBECONFIG',
  'PROMETHEUS_CA_FILE',
  'QUERIES_FILE',
  'TOPOLOGY_FILE',
  'MCP_CONFIG_FILE',
  'REDACT_PATTERNS_FILE',
] as const satisfies readonly (keyof Config)[];
