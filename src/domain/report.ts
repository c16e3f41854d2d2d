import { z } from 'zod';
import { EVIDENCE_KINDS } from './evidence.ts';
import { PROBE_SEVERITIES } from './probe.ts';
import { ROOT_CAUSE_TYPES } from './root-cause-type.ts';

const text = (max: number) => z.string().min(1).max(max);
const evidenceIds = z.array(z.string().regex(/^[A-Z]\d+$/)).max(20);
export const RISKS = ['R0', 'R1', 'R2', 'R3'] as const;

const Action = z.strictObject({
  step: text(500),
  why: text(500),
  risk: z.enum(RISKS),
  command: text(500).optional(),
  rollback: text(500).optional(),
  needs_approval: z.boolean(),
});

const CausalStep = z.strictObject({ service: text(200), statement: text(600), evidence: evidenceIds });
const Alternative = z.strictObject({
  service: text(200),
  type: z.enum(ROOT_CAUSE_TYPES),
  confidence: z.number().min(0).max(1),
  why_not: text(500),
  /** Id of the hypothesis that it was, when it was one. */
  hypothesis: z.string().regex(/^H\d$/).optional(),
  /** Ids of the evidence for and against it. */
  supporting: evidenceIds.optional(),
  contradicting: evidenceIds.optional(),
});

const STATUSES = ['determined', 'inconclusive', 'healthy'] as const;

/** What a later look at an incident found different from the report before it, and why. No changes: it confirms that report. */
const Revision = z.strictObject({
  of: z.strictObject({
    id: z.string(),
    generatedAt: z.iso.datetime(),
    /** Time of the latest sample that the earlier look had. */
    seenUntil: z.iso.datetime().nullable(),
    status: z.enum(STATUSES),
    root_cause_service: z.string().nullable(),
    root_cause_type: z.enum(ROOT_CAUSE_TYPES),
    confidence: z.number().min(0).max(1),
  }),
  changes: z.array(
    z.strictObject({
      what: z.enum(['root_cause_service', 'confidence', 'root_cause_type', 'status']),
      from: z.string().nullable(),
      to: z.string().nullable(),
      statement: text(600),
      evidence: evidenceIds,
    }),
  ),
});
export type Revision = z.infer<typeof Revision>;

/** Of a scheduled check with probes: each question that it asked, and everything that they found, gravest first. */
const CheckReport = z.strictObject({
  probes: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.string(),
      severity: z.enum(PROBE_SEVERITIES),
      /** `unanswered` is never a sign of health. */
      status: z.enum(['clear', 'found', 'unanswered']),
      looked_at: z.number().int().min(0),
      /** Of a clear one: the value nearest to its limit. */
      nearest: text(300).nullable(),
      /** Why it has no answer, or what of the answer was cut. */
      note: text(400).nullable(),
      /** Whoever should have answered, all or a part of it, failed. */
      failed: z.literal(true).optional(),
    }),
  ),
  findings: z.array(
    z.strictObject({
      probe: z.string(),
      severity: z.enum(PROBE_SEVERITIES),
      service: text(200).nullable(),
      object: text(200),
      value: text(200),
      limit: text(200),
      since: z.iso.datetime().nullable(),
      remedy: text(300).nullable(),
      /** Id of the evidence that says it in full. */
      evidence: z.string(),
    }),
  ),
});
export type CheckReport = z.infer<typeof CheckReport>;

/** Report, schema version 1. docs/report-format.md explains every field; docs/report.schema.json is generated from this. */
export const Report = z.strictObject({
  schemaVersion: z.literal(1),
  id: z.string(),
  kind: z.enum(['incident', 'check']),
  incident: z.strictObject({
    id: z.string(),
    source: z.string(),
    title: text(300),
    /** What the alert says of itself: its summary and description. */
    description: text(500).optional(),
    /** How often it came before: `Third time in 2 h (before: inc_…)`. Absent: it is the first time that is known. */
    history: text(300).optional(),
    service: z.string().nullable(),
    severity: z.string().nullable(),
    startsAt: z.iso.datetime(),
    labels: z.record(z.string(), z.string()),
    link: z.string().nullable(),
  }),
  generatedAt: z.iso.datetime(),
  /** `first_look`: the analyst's verdict, while an agent is still at work; its report replaces it. Absent: the result. */
  stage: z.literal('first_look').optional(),
  /** Of a second look, and of an incident that was investigated again. */
  revision: Revision.optional(),
  check: CheckReport.optional(),
  mode: z.enum(['agent', 'analyst']),
  status: z.enum(STATUSES),
  summary: text(600),
  root_cause_service: z.string().nullable(),
  root_cause_type: z.enum(ROOT_CAUSE_TYPES),
  confidence: z.number().min(0).max(1),
  confidence_reasons: z.array(text(400)),
  evidence: z.array(
    z.strictObject({
      id: z.string(),
      kind: z.enum(EVIDENCE_KINDS),
      statement: text(1000),
      at: z.iso.datetime().nullable(),
      relative: z.string().nullable(),
      query: z.string().nullable(),
      link: z.string().nullable(),
    }),
  ),
  /** Ids of the evidence that speaks against the conclusion. */
  contradicting: evidenceIds.optional(),
  causal_chain: z.array(CausalStep),
  alternatives: z.array(Alternative),
  action_plan: z.array(Action),
  gaps: z.array(z.string()),
  usage: z.strictObject({
    turns: z.number().int().min(0),
    sub_agents: z.number().int().min(0),
    input_tokens: z.number().int().min(0),
    output_tokens: z.number().int().min(0),
    cache_read_tokens: z.number().int().min(0),
    cost_usd: z.number().min(0).nullable(),
    duration_ms: z.number().min(0),
    brief_tokens: z.number().int().min(0),
    raw_tokens: z.number().int().min(0),
    stages: z.record(z.string(), z.number().min(0)),
    model: z.string().nullable(),
    termination_reason: z.string(),
  }),
  session: z.string(),
});
export type Report = z.infer<typeof Report>;

/**
 * What an investigator (the agent's model, or the analyst) concludes: the part of the report that is a claim.
 * The rest is filled in by code. Bounds are enforced locally; the model API does not enforce them.
 */
export const Conclusion = z.strictObject({
  status: z.enum(STATUSES),
  summary: text(600),
  root_cause_service: z.string().max(200).nullable(),
  root_cause_type: z.enum(ROOT_CAUSE_TYPES),
  confidence: z.number().min(0).max(1),
  confidence_reasons: z.array(text(400)).max(8),
  /** Ids of the evidence the conclusion rests on, most important first. */
  evidence: evidenceIds,
  /** Ids of the evidence that speaks against it. */
  contradicting: evidenceIds.optional(),
  causal_chain: z.array(CausalStep).max(8),
  alternatives: z.array(Alternative).max(5),
  action_plan: z.array(Action).max(8),
});
export type Conclusion = z.infer<typeof Conclusion>;
