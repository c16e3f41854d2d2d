import type { Config } from '../config/schema.ts';
import type { Destination } from '../domain/delivery.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { RedisTarget } from '../platform/redis.ts';
import type { Redactor } from '../policy/redact.ts';
import type { Role } from './arguments.ts';
import type { Lifetime } from './lifetime.ts';
import type { RoleWatcher } from './start-role.ts';

/** What the parts of one process share. */
export interface Process {
  readonly role: Role;
  readonly config: Config;
  readonly destinations: readonly Destination[];
  readonly metrics: Metrics;
  readonly redactor: Redactor;
  readonly log: Logger;
  readonly lifetime: Lifetime;
  readonly redis: RedisTarget;
  readonly watcher: RoleWatcher;
}
