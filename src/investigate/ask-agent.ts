import { Ledger, type Allowance } from '../agent/ledger.ts';
import { runMainAgent } from '../agent/main-agent.ts';
import type { Model } from '../agent/model.ts';
import type { AgentResult } from '../agent/run-agent.ts';
import { inProcess } from '../agent/sub-agents/in-process.ts';
import type { RunSubAgents } from '../agent/sub-agents/port.ts';
import { runSubAgent } from '../agent/sub-agents/run-sub-agent.ts';
import type { Conclusion } from '../domain/report.ts';
import type { ModelUsage } from '../domain/session.ts';
import type { SubAgentRecord } from './journal.ts';
import type { Verdict } from './record-investigation.ts';
import { workedMs, workIdOf, type Known, type Run } from './run.ts';
import { settleVerdict } from './settle-verdict.ts';
import { verifyAgainst } from './verify-against.ts';
import { writeDown } from './write-down.ts';
import { sessionId } from './write-report.ts';

/** More in one turn, sub-agents' calls included, is a fishing trip. */
const TOOL_CALLS_PER_TURN = 8;

/** What came of asking the model. */
export interface Asked {
  readonly result: AgentResult<Conclusion>;
  readonly allowed: Allowance;
  readonly subAgents: readonly SubAgentRecord[];
  /** Of all sub-agents together. */
  readonly subAgentUsage: ModelUsage;
}

/** What the model found, or why it found nothing; undefined when there is no model. Goes on from the journal's checkpoint when there is one. */
export async function askAgent(run: Run, known: Known): Promise<Asked | undefined> {
  const { incident, parts, window, deadline: signal, stages } = run;
  const { model, limits, now, redact, toolbox, journal, onProgress, trace } = parts;
  if ('off' in model) return undefined;
  const { brief, nonce, guidance } = known;
  const allowed: Allowance = {
    turns: limits.maxTurns,
    tokens: limits.maxTokens,
    toolCalls: limits.maxTurns * TOOL_CALLS_PER_TURN,
    costUsd: limits.maxCostUsd,
    timeMs: limits.timeoutMs - workedMs(stages),
  };
  const ledger = new Ledger({ allowance: allowed, now, priceUsd: model.priceUsd });
  const subAgents = [...known.subAgents];
  const result = await runMainAgent({
    id: sessionId(workIdOf(run)),
    incident,
    brief,
    toolbox: { ...toolbox, runSubAgents: recordingSubAgents(run, known, model, subAgents) },
    role: incident.kind === 'check' ? 'check' : 'alert',
    model,
    window,
    now,
    redact,
    signal,
    ledger,
    nonce,
    guidance,
    maxOutputTokens: limits.maxOutputTokens,
    verify: (conclusion, evidence) => verifyAgainst(incident, brief, conclusion, evidence),
    ...(journal ? { checkpoint: journal.main } : {}),
    ...(onProgress ? { onProgress: (line: string) => onProgress('agent', line) } : {}),
    ...(trace ? { trace } : {}),
  });
  stages['agent'] = Math.max(0, ledger.state.timeMs);
  return { result, allowed, subAgents, subAgentUsage: ledger.subAgentUsage };
}

/** The agent's conclusion, settled by what it and its sub-agents found; undefined when it has none. */
export function agentVerdict({ incident }: Run, known: Known, { result, subAgents }: Asked): Verdict | undefined {
  if (result.kind !== 'concluded') return undefined;
  const { value: conclusion, evidence } = result;
  return { mode: 'agent', evidence, ...settleVerdict(incident, known, { conclusion, evidence, subAgents }) };
}

/** Runs sub-agents, and writes down what became of them before the main agent goes on. A turn that a resumed run repeats has the same sub-agents. */
function recordingSubAgents(run: Run, known: Known, model: Model, records: SubAgentRecord[]): RunSubAgents {
  const { redact, runSubAgents = subAgentsHere(run, known, model) } = run.parts;
  return async (orders, signal) => {
    const outcomes = await runSubAgents(
      // It may be kept in a queue.
      orders.map((order) => ({ ...order, task: redact(order.task) })),
      signal,
    );
    for (const [i, { id, task, hypothesis, stance }] of orders.entries()) {
      const outcome = outcomes[i];
      if (!outcome) continue;
      const record = { id, task, ...(hypothesis ? { hypothesis } : {}), ...(stance ? { stance } : {}) };
      const earlier = records.findIndex((one) => one.id === id);
      records.splice(earlier < 0 ? records.length : earlier, 1, { ...record, outcome: withoutEvidence(outcome) });
    }
    await writeDown(run, { ...known, subAgents: records });
    return outcomes;
  };
}

function withoutEvidence(outcome: Awaited<ReturnType<RunSubAgents>>[number]): SubAgentRecord['outcome'] {
  if (outcome.kind === 'lost') return outcome;
  const { evidence: _, ...rest } = outcome;
  return rest;
}

/** Sub-agents in this process: on the command line, where there is no queue. */
function subAgentsHere(run: Run, { brief, nonce }: Known, model: Model): RunSubAgents {
  const { incident, window, parts, subSessions } = run;
  const { toolbox, now, redact, limits, onProgress, trace } = parts;
  return inProcess(async (order, signal) => {
    const { outcome, session } = await runSubAgent(order, {
      incident,
      brief,
      window,
      toolbox,
      model,
      nonce,
      now,
      redact,
      signal,
      maxOutputTokens: limits.maxOutputTokens,
      ...(onProgress ? { onProgress: (line: string) => onProgress('agent', `${order.id}: ${line}`) } : {}),
      ...(trace ? { trace } : {}),
    });
    subSessions.push(session);
    return outcome;
  });
}
