import { z } from 'zod';
import type { Brief } from '../domain/brief.ts';
import { EvidenceBook, type Evidence } from '../domain/evidence.ts';
import type { Incident } from '../domain/incident.ts';
import type { TimeWindow } from '../domain/provider.ts';
import { Conclusion } from '../domain/report.ts';
import type { Verification } from '../domain/verification.ts';
import type { OutputContract } from './contract.ts';
import { NO_GUIDANCE, type Guidance } from './guidance.ts';
import { formHypotheses } from './hypotheses/form-hypotheses.ts';
import type { JsonSchema } from './model.ts';
import { mainOpening, systemBlocks } from './opening.ts';
import { parseReport } from './parse-report.ts';
import { runAgent, type AgentInput, type AgentResult } from './run-agent.ts';
import type { AgentRole, Toolbox } from './toolbox.ts';
import { createTools } from './tools/index.ts';

type Verify = (conclusion: Conclusion, evidence: readonly Evidence[]) => Verification;

export interface MainAgentInput extends Pick<
  AgentInput<Conclusion>,
  | 'id'
  | 'model'
  | 'ledger'
  | 'maxOutputTokens'
  | 'checkpoint'
  | 'now'
  | 'redact'
  | 'nonce'
  | 'signal'
  | 'onProgress'
  | 'trace'
> {
  readonly incident: Incident;
  readonly brief: Brief;
  /** The window the brief was made from. */
  readonly window: TimeWindow;
  readonly toolbox: Toolbox;
  readonly role: Exclude<AgentRole, 'sub'>;
  /** Steers where to look. Default: none. */
  readonly guidance?: Guidance;
  readonly verify: Verify;
}

/** The main agent of an investigation: its prompt, its tools, and the report that it owes. */
export async function runMainAgent(input: MainAgentInput): Promise<AgentResult<Conclusion>> {
  const { incident, brief, window, toolbox, role, guidance = NO_GUIDANCE, verify, ...rest } = input;
  const hypotheses = formHypotheses(incident, brief);
  const book = new EvidenceBook(brief.evidence);
  const delegator = { sessionId: input.id, ledger: input.ledger, hypotheses };
  return runAgent({
    ...rest,
    agent: 'main',
    system: systemBlocks(guidance.memory, input),
    opening: mainOpening({ ...input, guidance, hypotheses, maxTurns: input.ledger.turnsLeft }),
    tools: createTools(toolbox, role, { external: await toolbox.external?.(), delegator }),
    sources: toolbox.providers.map(({ name }) => name),
    context: { triggerMs: incident.startsAtMs, window, brief, book, now: input.now },
    output: reportContract(verify),
  });
}

const { $schema: _, ...REPORT_SCHEMA }: JsonSchema = z.toJSONSchema(Conclusion);

/** The report: parsed, then checked against the evidence. What the check takes out is a problem that can be repaired. */
export function reportContract(verify: Verify): OutputContract<Conclusion> {
  return {
    name: 'report',
    jsonSchema: REPORT_SCHEMA,
    judge(text, evidence) {
      const parsed = parseReport(text);
      if (parsed.kind === 'none') return parsed;
      if (parsed.kind === 'invalid')
        return { kind: 'judged', value: undefined, problems: parsed.problems, removed: [] };
      const { conclusion, problems, removed } = verify(parsed.value, evidence);
      return { kind: 'judged', value: conclusion, problems, removed };
    },
  };
}
