import type { Doubt } from '../config/doubts.ts';
import { ConfigError, unusable, type ExaminedConfig, type SettingProblem } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import type { CheckResult } from '../domain/check-result.ts';
import { createProviders } from '../providers/index.ts';
import { refused, type Patient } from './doctor.ts';
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

/** The part that a message which begins with the name of a setting belongs to. */
export function partOf(message: string): string {
  return PARTS.find(([settings]) => settings.test(message))?.[1] ?? 'settings';
}

/** A failed line for each part that has settings which cannot be used. */
export function mistakenParts(problems: readonly SettingProblem[]): readonly CheckResult[] {
  const parts = [...new Set(problems.map(({ setting }) => partOf(setting)))];
  return parts.map((part) => {
    const own = problems.filter(({ setting }) => partOf(setting) === part);
    return refused(
      part,
      own.map(({ setting, message }) => `${setting}: ${message}`),
    );
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

/** What is opened, or what stands in for it and a line that tells all that is wrong. */
export function openOrTell<T, U>(
  name: string,
  open: () => T,
  otherwise: U,
): { readonly opened: T | U; readonly told: readonly Patient[] } {
  try {
    return { opened: open(), told: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { opened: otherwise, told: [refusalOf(name, error)] };
  }
}

/** Settings of a process that can be used, and so can the files they name. Throws one `ConfigError` with everything that is wrong with any of them. */
export function requireUsable({ config, problems }: ExaminedConfig): Config {
  const mistakes = problems.map(({ setting, message }) => `${setting}: ${message}`);
  const note = (open: () => unknown) => {
    try {
      open();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      mistakes.push(...error.message.split('\n'));
    }
  };
  note(() => openSources(config));
  note(() => openRouting(config));
  note(() => mcpSettingsOf(config));
  note(() => redactionPatterns(config.REDACT_PATTERNS_FILE));
  createProviders(config, ({ message }) => void mistakes.push(...message.split('\n')));
  if (mistakes.length > 0) throw unusable([...new Set(mistakes)]);
  return config;
}

/** A line that tells all that is wrong with a file. */
export function refusalOf(name: string, error: ConfigError): Patient {
  return { name, check: () => Promise.resolve(refused(name, error.message.split('\n'))) };
}
