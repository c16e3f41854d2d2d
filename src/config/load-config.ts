import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { Config, settingGroups } from './schema.ts';

/** Settings that cannot be used. The message has one line a variable: name, what is wrong. Values are never shown. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads settings from an environment. An empty value counts as unset: compose files and charts write those. Throws ConfigError. */
export function parseConfig(environment: Environment): Config {
  const names = settingGroups.flatMap((group) => Object.keys(group.settings));
  const given = Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
  const result = Config.safeParse(given);
  if (result.success) return Object.freeze(result.data);
  const lines = result.error.issues.map((issue) => `  ${issue.path.join('.') || 'configuration'}: ${issue.message}`);
  throw new ConfigError(
    `These settings cannot be used:\n${lines.join('\n')}\nSee docs/configuration.md for what each setting takes.`,
  );
}

/** Settings of this process: the environment, and below it a `.env` file of the working directory. Throws ConfigError. */
export function loadConfig(): Config {
  if (existsSync('.env')) loadEnvFile('.env');
  return parseConfig(process.env);
}

/** Every secret value in the settings, for exact-value redaction. URLs and `user:password` pairs give their password, too. */
export function secretsOf(config: Config): readonly string[] {
  const values = settingGroups.flatMap((group) =>
    Object.entries(group.settings).flatMap(([name, schema]) =>
      schema.meta()?.['secret'] ? [config[name as keyof Config]].flat() : [],
    ),
  );
  const texts = values.filter((value): value is string => typeof value === 'string' && value !== '');
  return [...new Set(texts.flatMap(secretParts))];
}

/** What is secret in a setting: a URL's password or long path (Slack webhooks), the part after `user:` or `Name=`, else all of it. */
function secretParts(value: string): readonly string[] {
  if (/^[a-z]+:\/\//.test(value)) {
    const url = new URL(value);
    const path = url.pathname.length > 12 ? [url.pathname] : [];
    return url.password ? [url.password, decodeURIComponent(url.password), ...path] : path;
  }
  const pair = /^[^:=]+[:=](.{6,})$/s.exec(value);
  return pair?.[1] ? [value, pair[1]] : [value];
}
