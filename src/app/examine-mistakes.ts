import type { Doubt } from '../config/doubts.ts';
import { keepMistakes, unusable, type ExaminedConfig } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import type { CheckResult } from '../domain/check-result.ts';
import { createProviders } from '../providers/index.ts';
import { mcpSettingsOf } from './mcp-settings.ts';
import { openRouting } from './open-routing.ts';
import { openSources } from './open-sources.ts';
import { redactionPatterns } from './redaction-patterns.ts';

/** Which line of `rootnote doctor` a setting belongs to; the first that fits. */
const PARTS: readonly (readonly [settings: RegExp, part: string])[] = [
  [/^(?:HOST|PORT|ALLOW_UNAUTHENTICATED)\b/, 'inbound'],
  [/^(?:ALERTMANAGER_|GRAFANA_|PAGERDUTY_(?:WEBHOOK|REOPENED|OWN)|SOURCES_FILE)/, 'sources'],
  [/^REDIS_/, 'redis'],
  [/^(?:ANTHROPIC_|MODEL_|AGENT_MAX_COST)/, 'model'],
  [/^(?:PROMETHEUS_|QUERIES_FILE)/, 'prometheus'],
  [/^LOKI_/, 'loki'],
  [/^ELASTICSEARCH_/, 'elasticsearch'],
  [/^VICTORIALOGS_/, 'victorialogs'],
  [/^TEMPO_/, 'tempo'],
  [/^JAEGER_/, 'jaeger'],
  [/^KUBERNETES_/, 'kubernetes'],
  [/^TOPOLOGY_FILE/, 'topology'],
  [/^RECORDING_DIR/, 'recording'],
  [/^MCP_/, 'mcp'],
  [/^(?:COMMAND|READ_ROOTS)/, 'commands'],
  [/^REPORT_DIR/, 'file'],
  [/^SLACK_WEBHOOK/, 'slack-webhook'],
  [/^SLACK_/, 'slack'],
  [/^PAGERDUTY_/, 'pagerduty'],
  [/^JIRA_/, 'jira'],
  [/^GITHUB_/, 'github'],
  [/^TEAMS_/, 'teams'],
  [/^REPORT_WEBHOOK_/, 'webhook'],
  [/^ROUTES_FILE/, 'routing'],
  [/^SKILLS_/, 'playbooks'],
  [/^MEMORY_/, 'memory'],
  [/^REDACT_/, 'redaction'],
  [/^JOBS_/, 'scheduled checks'],
  [/^OTEL_/, 'traces'],
];

/** The part that a mistake belongs to, which begins with the name of a setting. */
function partOf(mistake: string): string {
  return PARTS.find(([settings]) => settings.test(mistake))?.[1] ?? 'settings';
}

/** A failed line for each part with settings or files that cannot be used: it was not asked. */
export function mistakenParts(mistakes: readonly string[]): readonly CheckResult[] {
  return [...new Set(mistakes.map(partOf))].map((name) => {
    const details = mistakes.filter((mistake) => partOf(mistake) === name);
    const count = details.length === 1 ? 'a mistake' : `${details.length} mistakes`;
    const value = `${count} in its settings: no role starts, and this part was not looked at`;
    return { name, status: 'fail', value, details, remedy: 'Mend what is told, and ask again.' };
  });
}

/** A warning for each setting that may be wrong. */
export function doubtfulSettings(doubts: readonly Doubt[]): readonly CheckResult[] {
  return doubts
    .filter(({ isFatal }) => !isFatal)
    .map(({ setting, message }) => ({
      name: 'settings',
      status: 'warn',
      value: `${setting} ${message}`,
      remedy: `Check ${setting}; leave it as it is where that is meant.`,
    }));
}

/** What the settings and the files that they name give; `mistakes` is a line for each thing that is wrong with them, and what it is wrong with is undefined. */
export function openConfigured({ config, problems }: ExaminedConfig) {
  const mistakes = problems.map(({ setting, message }) => `${setting}: ${message}`);
  const tryTo = keepMistakes(mistakes);
  const opened = {
    sources: tryTo(() => openSources(config)),
    routing: tryTo(() => openRouting(config)),
    mcp: tryTo(() => mcpSettingsOf(config)),
    redactionRules: tryTo(() => redactionPatterns(config.REDACT_PATTERNS_FILE)),
    providers: createProviders(config, (more) => void mistakes.push(...more)),
  };
  return { ...opened, mistakes: [...new Set(mistakes)] };
}

/** Settings of a process that can be used, and so can the files they name. Throws one `ConfigError` with everything that is wrong with any of them. */
export function requireUsable(examined: ExaminedConfig): Config {
  const { mistakes } = openConfigured(examined);
  if (mistakes.length > 0) throw unusable(mistakes);
  return examined.config;
}
