import { randomBytes } from 'node:crypto';
import { secretsOf } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import { createRedactor, type Redactor } from '../policy/redact.ts';
import { mcpSecretsOf } from './mcp-settings.ts';
import { routingSecretsOf } from './open-routing.ts';
import { sourceSecretsOf } from './open-sources.ts';
import { redactionPatterns } from './redaction-patterns.ts';

/** The one redactor of the process: knows every secret of the configuration. `onRedacted` counts. Throws `ConfigError`. */
export function createProcessRedactor(config: Config, onRedacted?: (type: string) => void): Redactor {
  return createRedactor({
    secrets: [...secretsOf(config), ...mcpSecretsOf(config), ...sourceSecretsOf(config), ...routingSecretsOf(config)],
    key: randomBytes(32).toString('hex'),
    rules: redactionPatterns(config.REDACT_PATTERNS_FILE),
    ...(onRedacted ? { onRedacted } : {}),
  });
}
