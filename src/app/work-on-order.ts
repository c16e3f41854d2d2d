import type { SubAgentOrder, SubAgentOutcome } from '../agent/sub-agents/port.ts';
import { parentOf } from '../agent/sub-agents/ids.ts';
import { lost } from '../agent/sub-agents/lost.ts';
import { lostSession, runSubAgent } from '../agent/sub-agents/run-sub-agent.ts';
import { below } from '../domain/tracing.ts';
import type { InvestigationParts } from '../investigate/run.ts';
import type { McpServers } from '../mcp/servers.ts';
import { NobodyWaits, type OrderPlace, type SubAgentWorkerDeps } from '../queue/sub-agent-worker.ts';
import type { ReportStore } from '../sessions/report-store.ts';
import { measureSubAgent, measureToolCalls } from './measure-investigation.ts';
import { withMcpTools } from './open-mcp.ts';
import type { Process } from './process.ts';

/** How the sub-agent jobs of this process are done: run, session kept, counted. */
export function createOrderRunner(
  { log, metrics, redactor, tracing }: Pick<Process, 'log' | 'metrics' | 'redactor' | 'tracing'>,
  reports: Pick<ReportStore, 'saveSubSession'>,
  { parts, mcp }: { readonly parts: InvestigationParts; readonly mcp: McpServers },
): Pick<SubAgentWorkerDeps, 'runOrder' | 'onOutcome'> {
  const { model, limits, now, redact } = parts;

  const runOrder = async ({
    order,
    incident,
    state,
    checkpoint,
    signal,
    traceparent,
  }: OrderPlace): Promise<SubAgentOutcome> => {
    if ('off' in model) return lost(`there is no model: ${model.off}`);
    const jobLog = log.child({ incidentId: incident.id, subAgent: order.id });
    const { toolbox } = withMcpTools(parts, mcp.openForSubAgents, signal);
    const { outcome, session } = await runSubAgent(order, {
      incident,
      brief: state.brief,
      window: state.window,
      nonce: state.nonce,
      toolbox,
      model,
      now,
      redact,
      checkpoint,
      signal,
      maxOutputTokens: limits.maxOutputTokens,
      trace: below(tracing.trace, traceparent),
      onProgress: (line) => jobLog.info({ stage: 'sub-agent' }, redactor.redact(line)),
    });
    // One that goes on elsewhere writes its whole session there.
    if (signal.aborted && !(signal.reason instanceof NobodyWaits)) return outcome;
    await reports.saveSubSession(parentOf(order.id) ?? order.id, session);
    measureToolCalls(session, metrics);
    jobLog.info(
      { outcome: outcome.kind, reason: session.terminationReason, turns: session.usage.turns },
      'sub-agent ended',
    );
    return outcome;
  };

  const onOutcome = async (order: SubAgentOrder, outcome: SubAgentOutcome, incidentId: string) => {
    if (!('off' in model)) measureSubAgent(model.id, outcome, metrics);
    if (outcome.kind !== 'lost') return;
    log.warn({ incidentId, subAgent: order.id, reason: outcome.reason }, 'a sub-agent was lost');
    const session = lostSession(order, outcome, { incidentId, atMs: now(), redact });
    await reports.saveSubSession(parentOf(order.id) ?? order.id, session);
  };
  return { runOrder, onOutcome };
}
