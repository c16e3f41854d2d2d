import type { SubAgentOrder, SubAgentOutcome } from '../../src/agent/sub-agents/port.ts';
import { STATE_VERSION, type InvestigationState } from '../../src/investigate/journal.ts';
import { NO_GUIDANCE } from '../../src/agent/guidance.ts';
import { NO_USAGE } from '../../src/domain/session.ts';
import { caseBrief, TRIGGER_MS } from './agent-case.ts';

/** The order of the `place`-th task of turn 1 of an incident's main agent. */
export function orderOf(incidentId: string, place = 1, changes: Partial<SubAgentOrder> = {}): SubAgentOrder {
  return {
    id: `ses_${incidentId}.1.${place}`,
    task: `task ${place}`,
    firstEvidenceNumber: place * 1000 + 1,
    known: [],
    allowance: { turns: 8, tokens: 100_000, toolCalls: 20, costUsd: null, timeMs: 60_000 },
    ...changes,
  };
}

export function foundBy(order: SubAgentOrder, conclusion = `found by ${order.id}`): SubAgentOutcome & { kind: 'done' } {
  return {
    kind: 'done',
    finding: { conclusion, evidence: [], verdicts: [], gaps: [] },
    evidence: [],
    usage: { ...NO_USAGE, turns: 2 },
    toolCalls: 1,
    gaps: [],
    terminationReason: 'done',
  };
}

export function stateOf(changes: Partial<InvestigationState> = {}): InvestigationState {
  return {
    version: STATE_VERSION,
    startedAtMs: TRIGGER_MS,
    window: { fromMs: TRIGGER_MS - 3_600_000, toMs: TRIGGER_MS + 60_000 },
    brief: caseBrief(),
    seenUntilMs: TRIGGER_MS,
    nonce: 'f00dcafe',
    guidance: NO_GUIDANCE,
    stages: { gather: 1, distil: 2 },
    subAgents: [],
    ...changes,
  };
}
