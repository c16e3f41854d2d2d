import { randomBytes } from 'node:crypto';
import { secretsOf } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import { createRedactor, type Redactor } from '../policy/redact.ts';
import { mcpSecretsOf } from './mcp-settings.ts';
import { routingSecretsOf } from './open-routing.ts';
import { sourceSecretsOf } from './open-sources.ts';
import { redactionPatterns } from './redaction-patterns.ts';
import { readTrimmed, secretFilesOf } from './secret-files.ts';

/** Kubernetes replaces a token every hour or so, and the one before stays valid for a while. */
const LOOK_EVERY_MS = 1000;
const MOST_TOKENS = 8;

/**
 * The one redactor of the process: knows every secret of the configuration and of the files that it names. `onRedacted` counts; `nowMs` is a
 * monotonic clock. Throws `ConfigError`.
 */
export function createProcessRedactor(
  config: Config,
  onRedacted?: (type: string) => void,
  nowMs: () => number = () => performance.now(),
): Redactor {
  const files = secretFilesOf(config);
  const fixed = [
    ...secretsOf(config),
    ...files.secrets,
    ...mcpSecretsOf(config),
    ...sourceSecretsOf(config),
    ...routingSecretsOf(config),
  ];
  const key = randomBytes(32).toString('hex');
  const rules = redactionPatterns(config.REDACT_PATTERNS_FILE);
  const create = (tokens: readonly string[]) =>
    createRedactor({ secrets: [...fixed, ...tokens], key, rules, ...(onRedacted ? { onRedacted } : {}) });
  return followTokens(files.tokenFiles, create, nowMs);
}

/** A redactor that knows the tokens of these files as they are now and as they were. */
function followTokens(
  files: readonly string[],
  create: (tokens: readonly string[]) => Redactor,
  nowMs: () => number,
): Redactor {
  const read = () => files.map(readTrimmed).filter(Boolean);
  let tokens = read();
  let redactor = create(tokens);
  let lookAtMs = nowMs() + LOOK_EVERY_MS;
  const newest = (): Redactor => {
    if (nowMs() < lookAtMs) return redactor;
    lookAtMs = nowMs() + LOOK_EVERY_MS;
    const all = [...new Set([...read(), ...tokens])];
    if (all.length > tokens.length) {
      tokens = all.slice(0, MOST_TOKENS);
      redactor = create(tokens);
    }
    return redactor;
  };
  return {
    redact: (text) => newest().redact(text),
    mayChange: (text) => newest().mayChange(text),
    mayChangeAny: (texts) => newest().mayChangeAny(texts),
    find: (text) => newest().find(text),
  };
}
