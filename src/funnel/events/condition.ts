import type { RootCauseType } from '../../domain/root-cause-type.ts';
import type { ServiceMap } from '../services.ts';
import type { Cluster, KubeObject } from './cluster.ts';

/** A problem that one rule sees in the snapshot. */
export interface Condition {
  /** The object that shows it: part of the evidence's key and of its query. */
  readonly object: KubeObject;
  /** The service, node or component that suffers or causes it; not always the object's own. */
  readonly service: string;
  /** Short and stable, one a problem: `OOMKilled`, `selector matches no pod`. */
  readonly reason: string;
  /** What is so, in one sentence without the object's name. May hold untrusted text. */
  readonly statement: string;
  readonly severity: number;
  readonly type: RootCauseType;
  /** When it began or was last seen, if the object says so. */
  readonly atMs?: number | undefined;
  readonly numbers?: readonly number[];
}

export interface RuleContext {
  readonly triggerMs: number;
  readonly services: ServiceMap;
}

/** Looks at the whole snapshot, since many problems lie between objects. Never throws, whatever the objects hold. */
export type Rule = (cluster: Cluster, context: RuleContext) => readonly Condition[];
