import type { Brief } from '../../domain/brief.ts';
import { EvidenceBook, type Evidence } from '../../domain/evidence.ts';
import type { Finding } from '../../domain/finding.ts';
import type { Incident } from '../../domain/incident.ts';
import type { TimeWindow } from '../../domain/provider.ts';
import type { Session } from '../../domain/session.ts';
import type { TerminationReason } from '../agent-stop.ts';
import { formHypotheses } from '../hypotheses/form-hypotheses.ts';
import { Ledger } from '../ledger.ts';
import { subAgentOpening } from '../opening.ts';
import { SUB_AGENT_PROMPT } from '../prompts.ts';
import { runAgent, type AgentInput, type AgentResult } from '../run-agent.ts';
import type { Toolbox } from '../toolbox.ts';
import { createTools } from '../tools/index.ts';
import { redactDeep } from '../tools/redact-deep.ts';
import { cutShort } from './cut-short.ts';
import { findingContract } from './finding-contract.ts';
import { parentOf } from './ids.ts';
import { lost } from './lost.ts';
import type { SubAgentOrder, SubAgentOutcome } from './port.ts';

export interface SubAgentParts extends Pick<
  AgentInput<Finding>,
  'model' | 'maxOutputTokens' | 'checkpoint' | 'now' | 'redact' | 'nonce' | 'signal' | 'onProgress' | 'trace'
> {
  readonly incident: Incident;
  readonly brief: Brief;
  /** The window the brief was made from. */
  readonly window: TimeWindow;
  readonly toolbox: Toolbox;
}

export interface SubAgentRun {
  readonly outcome: SubAgentOutcome;
  /** Redacted. */
  readonly session: Session;
}

/** A finding is short, and what a turn may say at most is held back from the allowance before each turn. */
const MOST_OUTPUT_TOKENS = 2048;

/** What an agent at a cap has found counts, even if that is nothing. */
const CAPS: ReadonlySet<TerminationReason> = new Set(['turns', 'deadline', 'tokens', 'cost', 'tool_calls', 'overflow']);

/**
 * Carries out one order: own prompt, no memory, no sub-agents of its own, the parent's model, the allowance as its ledger. Never throws but for a bug. When
 * `signal` aborts its outcome is `lost`, which is for the caller to use or to throw away: with a checkpoint another process can go on.
 */
export async function runSubAgent(order: SubAgentOrder, parts: SubAgentParts): Promise<SubAgentRun> {
  const { incident, brief, window, toolbox, ...rest } = parts;
  const { model, now, redact, nonce } = rest;
  const book = new EvidenceBook([...brief.evidence, ...order.known], order.firstEvidenceNumber);
  const hypotheses = formHypotheses(incident, brief);
  const startedAtMs = now();
  const result = await runAgent({
    ...rest,
    maxOutputTokens: Math.min(parts.maxOutputTokens, MOST_OUTPUT_TOKENS),
    agent: 'sub',
    id: order.id,
    system: [SUB_AGENT_PROMPT],
    opening: subAgentOpening(order, { incident, brief, window, hypotheses, redact, nonce }),
    tools: createTools(toolbox, 'sub', { external: await toolbox.external?.() }),
    sources: toolbox.providers.map(({ name }) => name),
    context: { triggerMs: incident.startsAtMs, window, brief, book, now },
    output: findingContract(hypotheses, incident),
    ledger: new Ledger({ allowance: order.allowance, now, priceUsd: model.priceUsd }),
  });
  const found = book.found().map(({ evidence }) => evidence);
  const outcome = outcomeOf(result, found, redact);
  const session: Session = {
    id: order.id,
    incidentId: incident.id,
    ...describeOrder(order, redact),
    // A resumed run began when its first entry was written.
    startedAtMs: result.entries[0]?.atMs ?? startedAtMs,
    finishedAtMs: now(),
    brief: '',
    entries: result.entries,
    usage: result.usage,
    toolCalls: result.toolCalls,
    allowed: order.allowance,
    terminationReason: result.terminationReason,
  };
  return { outcome, session };
}

function outcomeOf(
  result: AgentResult<Finding>,
  found: readonly Evidence[],
  redact: (text: string) => string,
): SubAgentOutcome {
  const { usage, toolCalls, gaps, terminationReason } = result;
  const done = (finding: Finding): SubAgentOutcome => ({
    kind: 'done',
    finding: redactDeep(finding, redact) as Finding,
    evidence: found,
    usage,
    toolCalls,
    gaps,
    terminationReason,
  });
  if (result.kind === 'concluded') return done(result.value);
  const counts = found.length > 0 && terminationReason !== 'aborted';
  if (CAPS.has(terminationReason) || counts) return done(cutShort(result.reason, found, gaps));
  return lost(result.reason, usage, toolCalls);
}

function describeOrder(
  { id, task }: SubAgentOrder,
  redact: (text: string) => string,
): Pick<Session, 'parentId' | 'task'> {
  const parentId = parentOf(id);
  return { ...(parentId === undefined ? {} : { parentId }), task: redact(task) };
}

/** The session of a sub-agent that was given up: it says so, and holds nothing else. */
export function lostSession(
  order: SubAgentOrder,
  outcome: SubAgentOutcome & { kind: 'lost' },
  {
    incidentId,
    atMs,
    redact,
  }: { readonly incidentId: string; readonly atMs: number; readonly redact: (text: string) => string },
): Session {
  return {
    id: order.id,
    incidentId,
    ...describeOrder(order, redact),
    startedAtMs: atMs,
    finishedAtMs: atMs,
    brief: '',
    entries: [{ role: 'system', text: redact(`[lost: ${outcome.reason}]`), atMs }],
    usage: outcome.usage,
    toolCalls: outcome.toolCalls,
    allowed: order.allowance,
    terminationReason: 'lost',
  };
}
