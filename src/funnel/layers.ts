import type { EvidenceDraft } from '../domain/evidence.ts';
import type { RootCauseType } from '../domain/root-cause-type.ts';

/**
 * One thing a layer found worth saying. The same fact found by a layer and by the ranker carries the same key and so
 * becomes one piece of evidence. Key forms: `metric:<service>/<metric>`, `log:<template number>`,
 * `state:<kind>[/<namespace>]/<name>/<reason>`, `event:<kind>[/<namespace>]/<name>/<reason>`,
 * `change:<service>/<what>/<time>`, `trace:<service>/<operation>`, `edge:<caller>-><callee>`.
 */
export interface LayerItem {
  readonly key: string;
  readonly evidence: EvidenceDraft;
  /** How telling, 0–1: decides the order in the brief and what is cut first. */
  readonly weight: number;
}

/** What a layer leaves: its items, best first, and a sentence for everything it left out (with counts). */
export interface Layer {
  readonly items: readonly LayerItem[];
  readonly notes: readonly string[];
}

export const EMPTY_LAYER: Layer = { items: [], notes: [] };

/** A condition of one object or an event about it, judged by its general Kubernetes meaning. */
export interface StateFinding extends LayerItem {
  readonly service: string;
  /** 0–1: how likely this condition alone explains an outage of the service. */
  readonly severity: number;
  readonly rootCauseType: RootCauseType;
  /** What the service calls, by call graph and configuration: given where the condition may follow from one of these. */
  readonly dependsOn?: readonly string[];
}
