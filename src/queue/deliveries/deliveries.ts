import {
  kindOf,
  type ContentName,
  type DeliveryContent,
  type DeliveryRecord,
  type Destination,
  type IncidentContentName,
  type StormContentName,
} from '../../domain/delivery.ts';
import type { Incident } from '../../domain/incident.ts';
import type { StormSummary } from '../../domain/storm.ts';
import { noTracing, type CurrentTraceparent, type TraceSpan } from '../../domain/tracing.ts';
import type { Logger } from '../../platform/logger.ts';
import { sanitize } from '../../policy/untrusted.ts';
import type { RedisTarget } from '../../platform/redis.ts';
import { DEFAULT_LOCK_MS } from '../lock-times.ts';
import type { RetryPolicy, Step } from './deliver-once.ts';
import { Lane, type DeliveryOutcome } from './lane.ts';
import type { DeliveryKey } from './records.ts';

export type { DeliveryOutcome } from './lane.ts';

export interface DeliveriesDeps {
  readonly redisTarget: RedisTarget;
  readonly prefix: string;
  readonly destinations: readonly Destination[];
  /** What is stored for an incident; undefined when it is not known any more. Called for every attempt: jobs carry ids only. */
  readonly loadContent: (incidentId: string, name: IncidentContentName) => Promise<DeliveryContent | undefined>;
  /** Of a storm. Absent: storms are not told. */
  readonly loadStorm?: (stormId: string) => Promise<StormSummary | undefined>;
  /** The choke point of redaction: sees the content as JSON before a destination does, and leaves it JSON; and every reason and error that is kept. */
  readonly redact: (text: string) => string;
  readonly log: Logger;
  /** For metrics: called after every attempt. */
  readonly onOutcome?: (outcome: DeliveryOutcome) => void;
  /** Deliveries at the same time to one destination, in this process. */
  readonly concurrency?: number;
  readonly retry?: RetryPolicy;
  /** A worker that is silent for so long is taken for dead. Default 15 s. */
  readonly lockMs?: number;
  /** Each attempt is a span that links back to the span in which it was scheduled. */
  readonly trace?: TraceSpan;
  readonly currentTraceparent?: CurrentTraceparent;
  /** Tests stop a worker here. */
  readonly pause?: (step: Step, key: DeliveryKey) => Promise<void>;
}

export interface Deliveries {
  /** To every destination that is to be told of it. Scheduling again changes nothing. `resolved` waits for the report of the same incident. */
  schedule(incident: Incident, name: IncidentContentName): Promise<void>;
  /** To every destination that tells storms. Scheduling again changes nothing. */
  scheduleStorm(storm: StormSummary, name: StormContentName): Promise<void>;
  startWorker(): void;
  /** What became of an incident's deliveries, at the destinations that are configured now. */
  records(incidentId: string): Promise<readonly DeliveryRecord[]>;
  /** Takes no more jobs, lets running ones end, hands back the rest. Always settles, within `graceMs`. */
  close(graceMs: number): Promise<void>;
}

const DEFAULT_CONCURRENCY = 4;
const DEFAULT_RETRY: RetryPolicy = { firstMs: 2000, maxMs: 600_000, forMs: 12 * 3_600_000 };
const KINDS = ['report', 'resolved'] as const;

/** The outbox: at least once inside, once outside. One lane per destination; they share nothing but Redis. */
export function createDeliveries(deps: DeliveriesDeps): Promise<Deliveries> {
  const lanes = deps.destinations.map((destination) => new Lane(laneDeps(deps, destination)));
  return Promise.resolve({
    schedule: async (incident, name) => {
      const told = lanes.filter(({ destination }) => {
        return destination.tells.includes(kindOf(name) as never) && (destination.accepts?.(incident) ?? true);
      });
      await Promise.all(told.map((lane) => lane.schedule(incident.id, name)));
    },
    scheduleStorm: async (storm, name) => {
      const told = lanes.filter(({ destination }) => destination.deliverStorm);
      await Promise.all(told.map((lane) => lane.schedule(storm.id, name)));
    },
    startWorker: () => {
      for (const lane of lanes) lane.start();
    },
    records: async (incidentId) => {
      const records = await Promise.all(KINDS.flatMap((kind) => lanes.map((lane) => lane.record(incidentId, kind))));
      return records.filter((record) => record !== undefined);
    },
    close: async (graceMs) => {
      await Promise.all(lanes.map((lane) => lane.close(graceMs)));
    },
  });
}

function laneDeps(deps: DeliveriesDeps, destination: Destination) {
  return {
    redisTarget: deps.redisTarget,
    prefix: deps.prefix,
    destination,
    concurrency: deps.concurrency ?? DEFAULT_CONCURRENCY,
    retry: deps.retry ?? DEFAULT_RETRY,
    lockMs: deps.lockMs ?? DEFAULT_LOCK_MS,
    log: deps.log,
    loadContent: async (incidentId: string, name: ContentName) => {
      const content = await deps.loadContent(incidentId, name as IncidentContentName);
      return content && redactAll(content, deps.redact);
    },
    redact: deps.redact,
    onOutcome: deps.onOutcome ?? (() => undefined),
    pause: deps.pause ?? (() => Promise.resolve()),
    trace: deps.trace ?? noTracing,
    currentTraceparent: deps.currentTraceparent ?? (() => undefined),
  };
}

/**
 * As one JSON text, because names tell which values are secrets; redaction keeps JSON and its keys intact. Sanitised before: destinations
 * take invisible characters out, and what such a character had split would be whole again.
 */
function redactAll(content: DeliveryContent, redact: (text: string) => string): DeliveryContent {
  const visible = JSON.stringify(content, (_name, value: unknown) =>
    typeof value === 'string' ? sanitize(value) : value,
  );
  return JSON.parse(redact(visible)) as DeliveryContent;
}
