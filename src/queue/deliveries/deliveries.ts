import {
  kindOf,
  type ContentName,
  type DeliveryRecord,
  type Destination,
  type IncidentContentName,
  type NoticeName,
  type StormContentName,
} from '../../domain/delivery.ts';
import type { Incident } from '../../domain/incident.ts';
import type { RoutedDestination, Routing } from '../../domain/routing.ts';
import type { StormSummary } from '../../domain/storm.ts';
import { noTracing, type CurrentTraceparent, type TraceSpan } from '../../domain/tracing.ts';
import type { Logger } from '../../platform/logger.ts';
import { createReplicas, type Replicas } from '../../platform/redis-replicas.ts';
import { openWorkerRedis, type RedisTarget } from '../../platform/redis.ts';
import { DEFAULT_LOCK_MS } from '../lock-times.ts';
import { decideAddressees, readAddressees } from './addressees.ts';
import { readBacklog } from './backlog.ts';
import type { RetryPolicy, Step } from './deliver-next.ts';
import { destinationsKey, type DeliveryKey } from './keys.ts';
import { Lane, type DeliveryOutcome } from './lane.ts';
import { isNotice, isStorm, loadTold, type LoadToldDeps } from './load-told.ts';
import { readNotice, writeMended, writeNotice } from './notices.ts';
import { Outlet } from './outlet.ts';
import { readRecords } from './read-records.ts';
import type { WatchedWorker } from '../progress-watch.ts';

export type { DeliveryOutcome } from './lane.ts';

export interface DeliveriesDeps {
  readonly redisTarget: RedisTarget;
  readonly prefix: string;
  /** So many have to know of a claim before its owner posts: who takes over after a failover must not post again. Default 0. */
  readonly minReplicas?: number;
  readonly destinations: readonly Destination[];
  /** Which of them are told of an incident. Absent: all. */
  readonly routing?: Pick<Routing, 'routesFor' | 'routesForStorms'>;
  /** What is stored for an incident; undefined when it is not known any more. Called for every attempt: jobs carry ids only. */
  readonly loadContent: LoadToldDeps['loadContent'];
  /** Of a storm. Absent: storms are not told. */
  readonly loadStorm?: (stormId: string) => Promise<StormSummary | undefined>;
  /** The choke point of redaction: sees the content as JSON before a destination does, and leaves it JSON; and every reason and error that is kept. */
  readonly redact: (text: string) => string;
  readonly log: Logger;
  /** For metrics: called after every attempt. */
  readonly onOutcome?: (outcome: DeliveryOutcome) => void;
  /** For metrics: a worker lost the locks of jobs that it was still at. */
  readonly onLockLost?: (queue: string, jobs: number) => void;
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
  /** Of the destinations, once they are started. */
  workers(): readonly WatchedWorker[];
  /** What became of an incident's or a storm's deliveries, by destination, each in its order. */
  records(subjectId: string): Promise<readonly DeliveryRecord[]>;
  /** Sends again what was given up, at one destination or at all. Returns what that is. */
  retry(subjectId: string, destination?: string): Promise<readonly Pick<DeliveryRecord, 'destination' | 'content'>[]>;
  /** Takes no more jobs, lets running ones end, hands back the rest. Always settles, within `graceMs`. */
  close(graceMs: number): Promise<void>;
}

const DEFAULT_CONCURRENCY = 4;
const DEFAULT_RETRY: RetryPolicy = { firstMs: 2000, maxMs: 600_000, forMs: 12 * 3_600_000 };

/** The outbox: at least once inside, once outside. One lane per destination; they share nothing but Redis. */
export function createDeliveries(deps: DeliveriesDeps): Promise<Deliveries> {
  const outbox = new Outbox(deps);
  return Promise.resolve(outbox);
}

class Outbox implements Deliveries {
  readonly #deps: DeliveriesDeps;
  readonly #redis;
  readonly #replicas: Replicas;
  readonly #outlets = new Map<string, Outlet>();
  #lanes: readonly Lane[] = [];

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps;
    this.#redis = openWorkerRedis(deps.redisTarget, deps.log);
    this.#replicas = createReplicas(this.#redis, destinationsKey(deps.prefix), deps.minReplicas ?? 0);
  }

  async schedule(incident: Incident, name: IncidentContentName): Promise<void> {
    await this.#schedule(incident.id, name, () => {
      const accepting = this.#deps.destinations.filter((one) => one.accepts?.(incident) ?? true);
      return this.#routed(accepting, this.#deps.routing?.routesFor(incident));
    });
  }

  async scheduleStorm(storm: StormSummary, name: StormContentName): Promise<void> {
    await this.#schedule(storm.id, name, () => {
      const telling = this.#deps.destinations.filter((one) => one.deliverStorm !== undefined);
      return this.#routed(telling, this.#deps.routing?.routesForStorms());
    });
  }

  startWorker(): void {
    if (this.#lanes.length > 0) return;
    this.#lanes = this.#deps.destinations.map((destination) => new Lane(this.#laneDeps(destination)));
    void this.#sayWhatIsLeft();
  }

  workers(): readonly WatchedWorker[] {
    return this.#lanes;
  }

  async records(subjectId: string): Promise<readonly DeliveryRecord[]> {
    return (await readRecords(this.#redis, this.#deps.prefix, subjectId)) ?? [];
  }

  async retry(subjectId: string, only?: string): Promise<readonly Pick<DeliveryRecord, 'destination' | 'content'>[]> {
    const addressees = (await readAddressees(this.#redis, this.#deps.prefix, subjectId)) ?? [];
    const asked = addressees.filter(({ destination }) => only === undefined || destination === only);
    const retried = asked.map(async ({ destination }) => {
      const contents = await this.#outlet(destination).retry(subjectId);
      return contents.map((content) => ({ destination, content }));
    });
    return (await Promise.all(retried)).flat();
  }

  async close(graceMs: number): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close(graceMs)));
    this.#redis.disconnect();
    for (const outlet of this.#outlets.values()) outlet.close();
  }

  /** Those of the routes that are there, in the order of the settings. */
  #routed(
    destinations: readonly Destination[],
    routes: readonly RoutedDestination[] | undefined,
  ): readonly RoutedDestination[] {
    return destinations.flatMap(({ name }) => {
      if (!routes) return { destination: name, afterMs: 0 };
      return routes.find(({ destination }) => destination === name) ?? [];
    });
  }

  async #schedule(subjectId: string, content: ContentName, decide: () => readonly RoutedDestination[]): Promise<void> {
    const addressees = await decideAddressees(this.#redis, this.#deps.prefix, subjectId, decide);
    const traceparent = this.#deps.currentTraceparent?.();
    const scheduled = addressees.map(async ({ destination, afterMs }) => {
      if (this.#tells(destination, content))
        await this.#outlet(destination).schedule(subjectId, content, afterMs, traceparent);
    });
    await Promise.all(scheduled);
  }

  /** Of a destination that only other processes have they know best. */
  #tells(name: string, content: ContentName): boolean {
    const destination = this.#deps.destinations.find((known) => known.name === name);
    if (!destination) {
      this.#deps.log.warn({ destination: name, content }, 'scheduled for a destination that is not configured here');
      return true;
    }
    const kind = kindOf(content);
    return kind === 'storm' ? destination.deliverStorm !== undefined : destination.tells.includes(kind);
  }

  /** Whoever takes a destination out of the settings may not know that something was still to be told there. */
  async #sayWhatIsLeft(): Promise<void> {
    const backlog = await readBacklog(this.#redis, this.#deps.prefix).catch(() => []);
    for (const { destination, deliveries } of backlog) {
      if (deliveries === 0 || this.#deps.destinations.some(({ name }) => name === destination)) continue;
      this.#deps.log.warn({ destination, deliveries }, 'not configured here any more, and deliveries wait for it');
    }
  }

  #outlet(name: string): Outlet {
    const known = this.#outlets.get(name);
    if (known) return known;
    const { prefix, log } = this.#deps;
    const outlet = new Outlet(name, this.#redis, prefix, log.child({ destination: name }), this.#replicas);
    this.#outlets.set(name, outlet);
    return outlet;
  }

  /** Tells the other destinations of the incident, those that can show an update. */
  async #tellOthers(key: DeliveryKey, write: () => Promise<NoticeName | undefined>): Promise<void> {
    const { subjectId, destination, content } = key;
    if (isNotice(content) || isStorm(content)) return;
    const addressees = (await readAddressees(this.#redis, this.#deps.prefix, subjectId)) ?? [];
    const others = addressees.filter(
      (other) => other.destination !== destination && this.#hasUpdates(other.destination),
    );
    if (others.length === 0) return;
    const notice = await write();
    if (!notice) return;
    const scheduled = others.map((other) => this.#outlet(other.destination).schedule(subjectId, notice, other.afterMs));
    await Promise.all(scheduled);
  }

  #hasUpdates(name: string): boolean {
    return this.#deps.destinations.some((one) => one.name === name && one.tells.includes('update'));
  }

  #laneDeps(destination: Destination) {
    const { prefix, redact, log, loadContent, loadStorm = () => Promise.resolve(undefined) } = this.#deps;
    // Every lane has a connection of its own: closing one worker cuts it.
    const redis = openWorkerRedis(this.#deps.redisTarget, log.child({ destination: destination.name }));
    const loading = {
      loadContent,
      loadStorm,
      loadNotice: (id: string, name: Parameters<typeof readNotice>[3]) => readNotice(this.#redis, prefix, id, name),
      redact,
    };
    return {
      redis,
      prefix,
      destination,
      outlet: this.#outlet(destination.name),
      concurrency: this.#deps.concurrency ?? DEFAULT_CONCURRENCY,
      retry: this.#deps.retry ?? DEFAULT_RETRY,
      lockMs: this.#deps.lockMs ?? DEFAULT_LOCK_MS,
      log,
      load: (key: DeliveryKey, told: ContentName | undefined) => loadTold(loading, key, told),
      redact,
      onOutcome: this.#deps.onOutcome ?? (() => undefined),
      onLockLost: this.#deps.onLockLost ?? (() => undefined),
      onGaveUp: (key: DeliveryKey, reason: string) =>
        this.#tellOthers(key, () => writeNotice(this.#redis, prefix, key, reason)),
      onDelivered: (key: DeliveryKey) => this.#tellOthers(key, () => writeMended(this.#redis, prefix, key)),
      pause: this.#deps.pause ?? (() => Promise.resolve()),
      trace: this.#deps.trace ?? noTracing,
    };
  }
}
