import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { parseInWords } from '../policy/explain-issues.ts';
import { doubtsAbout } from './doubts.ts';
import { redisContradictions, withKeysInOneSlot } from './redis-settings.ts';
import { Config, FILE_SETTINGS, PARTNERS, settingGroups } from './schema.ts';

/** Settings that cannot be used. The message has one line a variable: name, what is wrong. Values are never shown. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Opens one thing after the other; what a `ConfigError` refuses is undefined, and each line of its message goes to `mistakes`. */
export function keepMistakes(mistakes: string[]): <T>(open: () => T) => T | undefined {
  return (open) => {
    try {
      return open();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      mistakes.push(...error.message.split('\n'));
      return undefined;
    }
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What is wrong with one setting; a value is never shown. */
export interface SettingProblem {
  readonly setting: string;
  readonly message: string;
}

/** Settings as far as they can be used; those that cannot are as unset. */
export interface ExaminedConfig {
  readonly config: Config;
  readonly problems: readonly SettingProblem[];
}

/** Reads settings from an environment and says everything that is wrong. An empty value counts as unset: compose files and charts write those. */
export function examineConfig(environment: Environment): ExaminedConfig {
  const names = settingGroups.flatMap((group) => Object.keys(group.settings));
  const given = Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
  const read = parseInWords(Config, given);
  const mistakes = 'data' in read ? [] : read.mistakes;
  const broken = mistakes.map(({ path, message }) => ({ setting: String(path[0]), message }));
  const usable = Object.entries(given).filter(([name]) => !broken.some(({ setting }) => setting === name));
  const config = Object.freeze(
    withKeysInOneSlot('data' in read ? read.data : Config.parse(Object.fromEntries(usable))),
  );
  const doubts = doubtsAbout(config).filter(({ isFatal }) => isFatal);
  const problems = [
    ...broken,
    ...missingPartners(given, environment),
    ...nothingToTake(config),
    ...redisContradictions(config),
    ...doubts,
  ];
  return { config, problems: [...problems, ...unreadableFiles(given)] };
}

/** The same, for whoever needs all of them right. Throws ConfigError, which names everything that is wrong. */
export function parseConfig(environment: Environment): Config {
  const { config, problems } = examineConfig(environment);
  if (problems.length === 0) return config;
  throw unusable(problems.map(({ setting, message }) => `${setting}: ${message}`));
}

/** One error for all of it, a line a mistake. */
export function unusable(mistakes: readonly string[]): ConfigError {
  const lines = mistakes.map((mistake) => `  ${mistake}`).join('\n');
  return new ConfigError(
    `These settings cannot be used:\n${lines}\nSee docs/configuration.md for what each setting takes.`,
  );
}

const SEEMS_UNSET = ', and is set to nothing: in a .env file # begins a comment, unless the value stands in quotes';

function missingPartners(given: Environment, environment: Environment): readonly SettingProblem[] {
  return PARTNERS.filter(({ setting, needs }) => given[setting] && !given[needs]).map(({ setting, needs }) => ({
    setting: needs,
    message: `is needed with ${setting}${environment[needs] === '' ? SEEMS_UNSET : ''}`,
  }));
}

/** A process that looks ready and leaves every alert waiting. */
function nothingToTake(config: Config): readonly SettingProblem[] {
  if (config.WORKER_CONCURRENCY !== 0 || config.SUB_AGENT_CONCURRENCY !== 0) return [];
  const message = 'is 0, and so is SUB_AGENT_CONCURRENCY: a worker would take nothing; set one of them';
  return [{ setting: 'WORKER_CONCURRENCY', message }];
}

/** Whoever reads a file says more about it. This looks only so that a missing one is told together with other mistakes. */
function unreadableFiles(given: Environment): readonly SettingProblem[] {
  return FILE_SETTINGS.flatMap((setting) => {
    const file = given[setting];
    return file === undefined || existsSync(file) ? [] : [{ setting, message: `${file} is not there` }];
  });
}

/** Settings of this process: the environment, and below it a `.env` file of the working directory. Throws ConfigError. */
export function loadConfig(): Config {
  return parseConfig(ownEnvironment());
}

/** The same for whoever goes on with what can be used. */
export function examineOwnConfig(): ExaminedConfig {
  return examineConfig(ownEnvironment());
}

function ownEnvironment(): Environment {
  if (existsSync('.env')) loadEnvFile('.env');
  return process.env;
}

/** The value of a variable that a settings file refers to by name, since no secret stands in a file; undefined when unset or empty. */
export function referredVariable(name: string): string | undefined {
  return process.env[name] || undefined;
}

/**
 * Every secret value in the settings, for exact-value redaction: whole values of secret settings, the passwords in `user:password` pairs
 * and headers, and what is secret in any URL, since every URL may carry a password or a token.
 */
export function secretsOf(config: Config): readonly string[] {
  const parts = settingGroups.flatMap((group) =>
    Object.entries(group.settings).flatMap(([name, schema]) => {
      const isSecret = schema.meta()?.['secret'] === true;
      const texts = [config[name as keyof Config]].flat().filter((value) => typeof value === 'string');
      return texts.flatMap((text) =>
        URL_FORM.test(text) ? secretsInUrl(text, isSecret) : isSecret ? secretParts(text) : [],
      );
    }),
  );
  return [...new Set(parts.filter(Boolean))];
}

const URL_FORM = /^[a-z]+:\/\//i;
/** A part of a path that nobody would choose as a name: `a1b2c3d4e5f6a7b8`. */
const TOKEN_IN_PATH = /^(?=.*\d)(?=.*[A-Za-z])[\w-]{16,}$/;

/** Password, query values and tokens in the path; of a URL that is itself the credential (`isSecret`, as Slack's webhooks), the path as a whole. Empty for other texts. */
export function secretsInUrl(text: string, isSecret: boolean): readonly string[] {
  if (!URL_FORM.test(text) || !URL.canParse(text)) return [];
  const url = new URL(text);
  const path = isSecret && url.pathname.length > 12 ? [url.pathname] : [];
  const tokens = url.pathname.split('/').filter((part) => TOKEN_IN_PATH.test(part));
  return [url.password, decoded(url.password), ...url.searchParams.values(), ...path, ...tokens];
}

/** A `%` that encodes nothing stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A tenant is sent as a header, too, but it is a name that telemetry is full of. */
const TENANT = /^[\w-]*(?:orgid|org-id|tenant|accountid|projectid)=/i;

/** The part after `user:` or `Name=`, and all of it. */
function secretParts(value: string): readonly string[] {
  if (TENANT.test(value)) return [];
  const pair = /^[^:=]+[:=](.{6,})$/s.exec(value);
  return pair?.[1] ? [value, pair[1]] : [value];
}
