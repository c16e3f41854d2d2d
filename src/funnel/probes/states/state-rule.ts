import type { RootCauseType } from '../../../domain/root-cause-type.ts';
import type { KubernetesObject } from '../../../domain/telemetry.ts';
import { listAt, textAt, timeAt } from '../../events/json-path.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** What a probe asks of a state. Absent: as the state itself has it. */
export interface StateOptions {
  readonly nowMs: number;
  /** How long it has to last. */
  readonly forMs: number | undefined;
  /** How recent it has to be; of a schedule, how old its last success may be. */
  readonly withinMs: number | undefined;
  /** More than so many. */
  readonly above: number | undefined;
}

/** What an object shows. */
export interface ShownState {
  /** `is not ready (CrashLoopBackOff)`: a clause that goes on from the name of the object. */
  readonly what: string;
  /** The short of it: `3 restarts`, `1 of 3 available`. */
  readonly value: string;
  readonly sinceMs: number | undefined;
  readonly type?: RootCauseType | undefined;
  readonly weight?: number;
  readonly numbers?: readonly number[];
}

/** A ready-made state of objects: of which kinds, and whether one is in it. */
export interface StateRule {
  readonly kinds: readonly string[];
  /** What is expected instead, for tables: `ready within 5m`. */
  readonly limit: string;
  /** Other objects of the kinds are there for what only shows among them. Never throws, whatever the objects hold. */
  readonly judge: (
    object: KubernetesObject,
    options: StateOptions,
    all: readonly KubernetesObject[],
  ) => ShownState | undefined;
}

export function conditionOf(object: KubernetesObject, type: string): unknown {
  return listAt(object, 'status', 'conditions').find((condition) => textAt(condition, 'type') === type);
}

export function createdMs(object: KubernetesObject): number | undefined {
  return timeAt(object, 'metadata', 'creationTimestamp');
}

/** Whether it lasts long enough. A state without a time is taken as it is: nobody knows that it is young. */
export function lasts(sinceMs: number | undefined, { nowMs, forMs }: StateOptions, usualMs: number): boolean {
  return sinceMs === undefined || nowMs - sinceMs >= (forMs ?? usualMs);
}

/** Whether it is recent enough. One without a time may be ages old, and is not told as news. */
export function isRecent(atMs: number | undefined, { nowMs, withinMs }: StateOptions, usualMs: number): boolean {
  return atMs !== undefined && nowMs - atMs <= (withinMs ?? usualMs);
}
