import type { Brief } from '../domain/brief.ts';
import { nameOfHypothesis, type Hypothesis } from '../domain/hypothesis.ts';
import type { Incident } from '../domain/incident.ts';
import type { TimeWindow } from '../domain/provider.ts';
import { duration } from '../domain/relative-time.ts';
import { clip, fence, oneLine, sanitize } from '../policy/untrusted.ts';
import { disguiseIds } from './evidence/foreign-ids.ts';
import type { EarlierIncident, Guidance } from './guidance.ts';
import { HEADINGS, orderOf, playbooksOffered, SYSTEM_PROMPT, timesOfBrief, turnsAllowed } from './prompts.ts';
import type { SubAgentOrder } from './sub-agents/port.ts';
import { isoSeconds, windowText } from './tools/relative-window.ts';

const MAX_VALUE_CHARACTERS = 400;
const MAX_CHECK_CHARACTERS = 8000;
const MAX_LABELS = 40;
const MAX_ALERTS = 5;
const MAX_EARLIER = 3;
const MAX_SUMMARY_CHARACTERS = 300;
const MAX_STATEMENT_CHARACTERS = 300;
const MAX_KNOWN = 30;
const SKILL_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

export interface OpeningParts {
  readonly incident: Incident;
  readonly brief: Brief;
  /** The window the brief was made from. */
  readonly window: TimeWindow;
  readonly hypotheses: readonly Hypothesis[];
  readonly redact: (text: string) => string;
  readonly nonce: string;
}

/** Where ids of ours stand. What stands elsewhere in the shape of a cited line is somebody's invention, or another incident's. */
const HOLDS_IDS: ReadonlySet<string> = new Set(['brief', 'hypotheses', 'known']);

/** What others wrote, as the model may see it: redacted before it is fenced, for a nonce must not be mistaken for a secret. */
type Quote = (label: keyof typeof HEADINGS, text: string) => string;

function quoting({ redact, nonce }: Pick<OpeningParts, 'redact' | 'nonce'>): Quote {
  return (label, text) => {
    const clean = redact(sanitize(text));
    return `${HEADINGS[label]}\n\n${fence(label, HOLDS_IDS.has(label) ? clean : disguiseIds(clean), nonce)}`;
  };
}

/** The incident as the main agent first sees it. */
export function mainOpening(
  parts: OpeningParts & { readonly guidance: Pick<Guidance, 'playbooks' | 'earlier'>; readonly maxTurns: number },
): string {
  const { guidance, maxTurns } = parts;
  const quote = quoting(parts);
  // A name that is none of ours could say anything.
  const playbooks = guidance.playbooks.map(({ name }) => name).filter((name) => SKILL_NAME.test(name));
  const earlier = guidance.earlier.slice(0, MAX_EARLIER).map(earlierLine);
  return [
    ...situation(parts, quote),
    ...(playbooks.length > 0 ? [playbooksOffered(playbooks)] : []),
    ...(earlier.length > 0 ? [quote('earlier', earlier.join('\n'))] : []),
    turnsAllowed(maxTurns),
  ].join('\n\n');
}

/** The incident as a sub-agent first sees it, then its task. The task was written by a model that has read untrusted text: it is fenced, too. */
export function subAgentOpening(order: SubAgentOrder, parts: OpeningParts): string {
  const { task, hypothesis, stance = 'test', known, allowance } = order;
  const quote = quoting(parts);
  const found = known.slice(-MAX_KNOWN).map(({ id, statement }) => `[${id}] ${shortened(statement)}`);
  return [
    ...situation(parts, quote),
    ...(found.length > 0 ? [quote('known', found.join('\n'))] : []),
    quote('task', task),
    ...(hypothesis === undefined ? [] : [orderOf(hypothesis, stance)]),
    turnsAllowed(allowance.turns),
  ].join('\n\n');
}

/** Blocks of the main agent's system prompt: one that is the same for every incident, then what is remembered, if anything is. */
export function systemBlocks(memory: string, parts: Pick<OpeningParts, 'redact' | 'nonce'>): readonly string[] {
  return memory.trim() === '' ? [SYSTEM_PROMPT] : [SYSTEM_PROMPT, quoting(parts)('memory', memory)];
}

function situation({ incident, brief, window, hypotheses }: OpeningParts, quote: Quote): readonly string[] {
  return [
    timesOfBrief(incident.kind, isoSeconds(incident.startsAtMs), windowText(window)),
    incident.kind === 'check' ? quote('check', checkText(incident)) : quote('alert', alertJson(incident)),
    quote('brief', withKnownIds(brief)),
    ...(hypotheses.length > 0 ? [quote('hypotheses', hypotheses.map(hypothesisLine).join('\n'))] : []),
  ];
}

/** A quoted log line may be written like a cited one: only ids of the brief's own evidence keep their brackets. */
function withKnownIds({ text, evidence }: Brief): string {
  const known = new Set(evidence.map(({ id }) => id));
  return text.replace(/\[([A-Z]\d{1,9})\]/g, (cited, id: string) => (known.has(id) ? cited : `‹${id}›`));
}

function hypothesisLine(one: Hypothesis): string {
  const evidence = one.supporting.length > 0 ? ` For it: ${one.supporting.join(', ')}.` : '';
  const name = oneLine(nameOfHypothesis(one));
  return `${one.id} ${clip(name, 120)}, ${one.type}, confidence ${one.prior.toFixed(2)}: ${one.statement}.${evidence} Refuted if ${one.refutedBy}.`;
}

function earlierLine(one: EarlierIncident): string {
  const ended =
    one.resolvedAfterMs === null ? 'its end is not known' : `resolved after ${duration(one.resolvedAfterMs)}`;
  const cause = `${one.status}, ${one.rootCauseService ?? 'no service'}, ${one.rootCauseType}, confidence ${one.confidence.toFixed(2)}`;
  const day = isoSeconds(one.startsAtMs).slice(0, 10);
  return oneLine(
    `${day} ${clip(one.title, 120)} (same ${one.alike.join(', ')}): ${cause}; ${ended}: ${withoutIds(clip(one.summary, MAX_SUMMARY_CHARACTERS))}`,
  );
}

/** An id of another incident's evidence looks like one of this one's. */
function withoutIds(text: string): string {
  return text.replace(/\b[MLEOCTX]\d{1,9}\b/g, '(its evidence)');
}

function shortened(statement: string): string {
  return clip(oneLine(statement), MAX_STATEMENT_CHARACTERS);
}

/** Nothing alerts where a check is due: its annotation is the text of the check (`jobs/*.md`). */
function checkText({ title, annotations }: Incident): string {
  return `${oneLine(title)}\n${clip(annotations['check'] ?? '', MAX_CHECK_CHARACTERS)}`;
}

function alertJson(incident: Incident): string {
  const clipped = (labels: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(labels)
        .slice(0, MAX_LABELS)
        .map(([name, value]) => [clip(name, 100), clip(value, MAX_VALUE_CHARACTERS)]),
    );
  return JSON.stringify({
    title: clip(incident.title, MAX_VALUE_CHARACTERS),
    source: incident.source,
    severity: incident.severity,
    service: incident.service,
    labels: clipped(incident.labels),
    annotations: clipped(incident.annotations),
    alertCount: incident.alertCount,
    alerts: incident.alerts.slice(0, MAX_ALERTS).map((alert) => clipped(alert.labels)),
  });
}
