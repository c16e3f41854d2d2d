import type { Evidence } from '../domain/evidence.ts';
import type { Incident } from '../domain/incident.ts';
import type { Labels } from '../domain/labels.ts';
import { relativeTime } from '../domain/relative-time.ts';
import { Report, type CheckReport, type Conclusion, type Revision } from '../domain/report.ts';
import type { ModelUsage } from '../domain/session.ts';
import { clip, oneLine, sanitize } from '../policy/untrusted.ts';
import { historyOf } from './tell-incident.ts';

export interface ReportInput {
  readonly incident: Incident;
  /** Names the session. Default: the incident's id. */
  readonly workId?: string;
  /** Absent: the result. */
  readonly stage?: Report['stage'] & string;
  readonly mode: Report['mode'];
  readonly conclusion: Conclusion;
  /** Of a second look: what it changes. */
  readonly revision?: Revision;
  /** Of a check with probes. */
  readonly check?: CheckReport | undefined;
  /** Everything known, cited or not. */
  readonly evidence: readonly Evidence[];
  readonly gaps: readonly string[];
  /** Of all agents together. */
  readonly usage: ModelUsage;
  /** How many there were. */
  readonly subAgents: number;
  readonly model: string | null;
  readonly briefTokens: number;
  readonly rawTokens: number;
  readonly stages: Readonly<Record<string, number>>;
  readonly durationMs: number;
  readonly terminationReason: string;
  readonly generatedAtMs: number;
}

/** One standing report an incident: its id is derived, so that a later look or round replaces it and never adds a second. */
export function reportId(incidentId: string): string {
  return `rep_${incidentId}`;
}

/** Id of the session of one investigation of an incident: the incident's id, or what names a later round or look (`later-work.ts`). */
export function sessionId(workId: string): string {
  return `ses_${workId}`;
}

/** A PromQL query may be long; a report is for reading. */
const LONGEST_QUERY = 2000;
const LONGEST_LINK = 8000;
/** Readers of reports make links of these; changes and events bring theirs along. */
const WEB_ADDRESS = /^https?:\/\//i;
/** For text of which nothing is visible: fields of a report are never empty. */
const UNPRINTABLE = '(unprintable)';

/** Cleans a text for the report: one visible line of at most `max` UTF-16 units. */
type Line = (text: string, max: number) => string;
/** The link when it is one to show, else null. */
type Address = (link: string | undefined) => string | null;

/** Puts the conclusion and what code knows together. `redact` sees every text on its way out. Throws on a report that breaks the schema: a bug. */
export function writeReport(input: ReportInput, redact: (text: string) => string): Report {
  const { incident, conclusion } = input;
  // Sanitised first: a colour code in the middle of a secret would hide it from redaction and then be taken out.
  const clean = (text: string) => redact(sanitize(text));
  const line: Line = (text, max) => clip(oneLine(clean(inWordsOf(incident, text))), max) || UNPRINTABLE;
  const address: Address = (link) =>
    link === undefined || link.length > LONGEST_LINK || !WEB_ADDRESS.test(link) ? null : oneLine(clean(link));
  const report: Report = {
    schemaVersion: 1,
    id: reportId(incident.id),
    kind: incident.kind,
    incident: {
      id: incident.id,
      source: incident.source,
      title: line(incident.title, 300),
      ...descriptionOf(incident, line),
      ...historyIn(incident, line),
      service: incident.service === undefined ? null : line(incident.service, 200),
      severity: incident.severity === undefined ? null : line(incident.severity, 100),
      startsAt: new Date(incident.startsAtMs).toISOString(),
      labels: cleanLabels(incident.labels, redact),
      link: address(incident.link),
    },
    generatedAt: new Date(input.generatedAtMs).toISOString(),
    ...(input.stage ? { stage: input.stage } : {}),
    ...(input.revision ? { revision: cleanRevision(input.revision, line) } : {}),
    ...(input.check ? { check: cleanCheck(input.check, line) } : {}),
    mode: input.mode,
    ...cleanConclusion(conclusion, line),
    evidence: evidenceOf(input, line, address),
    gaps: input.gaps.map((gap) => line(gap, 500)),
    usage: usageOf(input, line),
    session: sessionId(input.workId ?? incident.id),
  };
  return Report.parse(report);
}

/** Nothing alerted where a check was due: its times are relative to the check. */
function inWordsOf({ kind }: Incident, text: string): string {
  return kind === 'check' ? text.replace(/\b(before|after|at) the alert\b/g, '$1 the check') : text;
}

/** The alert's own words, without those that the title has said. Scheduled checks have none: their annotation is our prompt. */
function descriptionOf(incident: Incident, line: Line): { description?: string } {
  const { kind, title, annotations, alerts } = incident;
  if (kind === 'check') return {};
  const own = Object.keys(annotations).length > 0 ? annotations : (alerts[0]?.annotations ?? {});
  const words = ['summary', 'description', 'message'].flatMap((name) => own[name]?.trim() || []);
  const said = [...new Set(words)].filter((text) => text !== title);
  return said.length > 0 ? { description: line(said.join(' — '), 500) } : {};
}

/** Ours, not the alert's: it must not stand inside what that says. */
function historyIn(incident: Incident, line: Line): { history?: string } {
  const history = incident.kind === 'check' ? undefined : historyOf(incident);
  return history === undefined ? {} : { history: line(`${history.charAt(0).toUpperCase()}${history.slice(1)}`, 300) };
}

/** As one JSON text, because a name tells whether its value is a secret. */
function cleanLabels(labels: Labels, redact: (text: string) => string): Labels {
  const visible = Object.entries(labels).map(([name, value]) => [oneLine(name), oneLine(value)]);
  const redacted = JSON.parse(redact(JSON.stringify(Object.fromEntries(visible)))) as Labels;
  return Object.fromEntries(Object.entries(redacted).map(([name, value]) => [clip(name, 200), clip(value, 500)]));
}

function cleanConclusion(conclusion: Conclusion, line: Line) {
  return {
    status: conclusion.status,
    summary: line(conclusion.summary, 600),
    root_cause_service: conclusion.root_cause_service === null ? null : line(conclusion.root_cause_service, 200),
    root_cause_type: conclusion.root_cause_type,
    confidence: Math.round(conclusion.confidence * 100) / 100,
    confidence_reasons: conclusion.confidence_reasons.map((reason) => line(reason, 400)),
    ...(conclusion.contradicting ? { contradicting: conclusion.contradicting } : {}),
    causal_chain: conclusion.causal_chain.map((step) => ({
      service: line(step.service, 200),
      statement: line(step.statement, 600),
      evidence: step.evidence,
    })),
    alternatives: conclusion.alternatives.map((alternative) => ({
      ...alternative,
      service: line(alternative.service, 200),
      why_not: line(alternative.why_not, 500),
    })),
    action_plan: conclusion.action_plan.map((action) => ({
      ...action,
      step: line(action.step, 500),
      why: line(action.why, 500),
      ...(action.command === undefined ? {} : { command: line(action.command, 500) }),
      ...(action.rollback === undefined ? {} : { rollback: line(action.rollback, 500) }),
    })),
  };
}

function cleanRevision({ of, changes }: Revision, line: Line): Revision {
  const name = (text: string | null) => (text === null ? null : line(text, 200));
  return {
    of: { ...of, root_cause_service: name(of.root_cause_service) },
    changes: changes.map((change) => ({
      ...change,
      from: name(change.from),
      to: name(change.to),
      statement: line(change.statement, 600),
    })),
  };
}

function cleanCheck({ probes, findings }: CheckReport, line: Line): CheckReport {
  const maybe = (text: string | null, max: number) => (text === null ? null : line(text, max));
  return {
    probes: probes.map((probe) => ({ ...probe, nearest: maybe(probe.nearest, 300), note: maybe(probe.note, 400) })),
    findings: findings.map((finding) => ({
      ...finding,
      service: maybe(finding.service, 200),
      object: line(finding.object, 200),
      value: line(finding.value, 200),
      limit: line(finding.limit, 200),
      remedy: maybe(finding.remedy, 300),
    })),
  };
}

function evidenceOf(input: ReportInput, line: Line, address: Address) {
  const { incident } = input;
  return citedEvidence(input).map((item) => ({
    id: item.id,
    kind: item.kind,
    statement: line(item.statement, 1000),
    at: item.atMs === undefined ? null : new Date(item.atMs).toISOString(),
    relative: item.atMs === undefined ? null : inWordsOf(incident, relativeTime(item.atMs, incident.startsAtMs)),
    query: item.query === undefined ? null : line(item.query, LONGEST_QUERY),
    link: address(item.link),
  }));
}

/** What was used, under the names that reports have for it. */
export function usageInReport(usage: ModelUsage) {
  return {
    turns: usage.turns,
    // What is written to the cache was sent, too, and costs more.
    input_tokens: usage.inputTokens + usage.cacheWriteTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cost_usd: usage.costUsd,
  };
}

function usageOf(input: ReportInput, line: Line) {
  return {
    ...usageInReport(input.usage),
    sub_agents: input.subAgents,
    duration_ms: input.durationMs,
    brief_tokens: input.briefTokens,
    raw_tokens: input.rawTokens,
    stages: input.stages,
    model: input.model === null ? null : line(input.model, 200),
    termination_reason: input.terminationReason,
  };
}

const ID = /\b[MLEOCTX]\d{1,9}\b/g;

/** Evidence that the conclusion and the revision cite, in the order of first citation; last, what reasons for the confidence name. */
function citedEvidence({ conclusion, revision, check, evidence }: ReportInput): readonly Evidence[] {
  const byId = new Map(evidence.map((item) => [item.id, item]));
  const ids = new Set([
    ...conclusion.evidence,
    ...conclusion.causal_chain.flatMap((step) => step.evidence),
    ...(conclusion.contradicting ?? []),
    ...conclusion.alternatives.flatMap(({ supporting = [], contradicting = [] }) => [...supporting, ...contradicting]),
    ...(revision?.changes.flatMap((change) => change.evidence) ?? []),
    ...conclusion.confidence_reasons.flatMap((reason) => reason.match(ID) ?? []),
    // Every finding can be looked up, whatever the conclusion rests on.
    ...(check?.findings ?? []).map((finding) => finding.evidence),
  ]);
  return [...ids].flatMap((id) => byId.get(id) ?? []);
}
