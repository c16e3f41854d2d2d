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
  // Of each file the token that is there now and the one before, at least.
  const most = Math.max(MOST_TOKENS, 2 * files.length);
  const withThoseNow = (before: readonly string[]) => [
    ...new Set([...files.map(readTrimmed).filter(Boolean), ...before]),
  ];
  let tokens = withThoseNow([]);
  let redactor = create(tokens);
  let lookAtMs = nowMs() + LOOK_EVERY_MS;
  const newest = (): Redactor => {
    if (nowMs() < lookAtMs) return redactor;
    lookAtMs = nowMs() + LOOK_EVERY_MS;
    const all = withThoseNow(tokens);
    if (all.length > tokens.length) {
      tokens = all.slice(0, most);
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
