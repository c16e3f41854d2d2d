import type { Config } from '../config/schema.ts';
import type { Incident } from '../domain/incident.ts';
import type { Decided } from '../intake/admission.ts';
import type { Investigation } from '../investigate/investigate.ts';
import type { Stage } from '../investigate/run.ts';
import type { Destination } from '../domain/delivery.ts';
import type { Routing } from '../domain/routing.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { RedisTarget } from '../platform/redis.ts';
import type { Tracing } from '../platform/tracing.ts';
import type { Redactor } from '../policy/redact.ts';
import type { Source } from '../sources/source.ts';
import type { Role } from './arguments.ts';
import type { Lifetime } from './lifetime.ts';

/** What the demo watches; a service wants to know only from when on it has something to finish. */
export interface RoleWatcher {
  /** Called right before the first job is taken, which may be a while before the role has started. */
  readonly onTakingWork?: () => void;
  /** What a worker of this process has decided about an alert. */
  readonly onDecided?: (decided: Decided) => void;
  readonly onStage?: (incident: Incident, stage: Stage, line: string) => void;
  readonly onReport?: (incident: Incident, investigation: Investigation) => void;
  readonly onDelivery?: (destination: string, outcome: string) => void;
  /** Called at each step of a delivery, which goes on when this settles. The fault tests stop a worker here. */
  readonly onDeliveryStep?: (
    step: string,
    delivery: { readonly subjectId: string; readonly destination: string },
  ) => Promise<void>;
  /** Progress of the set-up, such as fetching Redis. */
  readonly say?: (line: string) => void;
}

/** What the parts of one process share. */
export interface Process {
  readonly role: Role;
  readonly config: Config;
  readonly sources: readonly Source[];
  readonly destinations: readonly Destination[];
  readonly routing: Routing;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly redactor: Redactor;
  readonly log: Logger;
  readonly lifetime: Lifetime;
  readonly redis: RedisTarget;
  readonly watcher: RoleWatcher;
}
