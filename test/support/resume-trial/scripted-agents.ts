import { calls, says, textOf, type ReceivedBody, type Reply } from '../messages-api/script.ts';
import { paymentsConclusion } from '../payments-report.ts';

/** Tasks of each investigation. */
export const TASKS = 3;
/** Requests of one investigation that nothing disturbs: four of the main agent, three of each sub-agent. */
export const REQUESTS_AN_INVESTIGATION = 4 + 3 * TASKS;

/** One request of one agent. Repeated, it is the same bytes. */
export interface AgentTurn {
  /** `case-7`, or `case-7 part 2` of a sub-agent. */
  readonly agent: string;
  readonly caseName: string;
  /** Answers that the agent has had. */
  readonly turn: number;
}

/** Who asks, by what stands in the request: the alert's label `case`, and of sub-agents the task. */
export function whoAsks(body: ReceivedBody): AgentTurn {
  const text = textOf(body);
  const caseName = /case-\d+/.exec(text)?.[0] ?? 'nobody';
  const isMain = body.tools?.some(({ name }) => name === 'delegate') ?? false;
  const part = /part (\d) of case-\d+/.exec(text)?.[1] ?? '?';
  const turn = body.messages.filter(({ role }) => role === 'assistant').length;
  return { agent: isMain ? caseName : `${caseName} part ${part}`, caseName, turn };
}

/** The scripted model: what an agent does depends on the request alone, so that a repeated one gets the same answer. */
export function answerAgent(body: ReceivedBody): Reply {
  const { agent, caseName, turn } = whoAsks(body);
  return agent === caseName ? answerMain(body, caseName, turn) : answerSub(body, turn);
}

function answerMain(body: ReceivedBody, caseName: string, turn: number): Reply {
  if (turn === 0) return calls(['query_logs', { service: 'payments' }]);
  if (turn === 1) return calls(['delegate', { tasks: tasksOf(caseName) }]);
  if (turn === 2) return calls(['query_metrics', { query: 'payments' }]);
  return says(JSON.stringify(reportOn(body)));
}

function tasksOf(caseName: string) {
  return Array.from({ length: TASKS }, (_, i) => ({
    task: `Look at part ${i + 1} of ${caseName}.`,
    ...(i === 0 ? { hypothesis: 'H1', stance: 'refute' } : {}),
  }));
}

function answerSub(body: ReceivedBody, turn: number): Reply {
  if (turn === 0) return calls(['query_logs', { service: 'checkout' }]);
  if (turn === 1) return calls(['query_metrics', { query: 'checkout' }]);
  const evidence = idsIn(body, /^\[([A-Z]\d{4,})\]/gm).slice(0, 3);
  return says(JSON.stringify({ conclusion: 'Checkout waits for payments.', evidence, verdicts: [], gaps: [] }));
}

function reportOn(body: ReceivedBody) {
  const evidence = idsIn(body, /^\[([A-Z]\d{1,3})\] .*payments/gm).slice(0, 2);
  const ofSubAgents = idsIn(body, /\b([A-Z]\d{4,})\b/g).slice(0, 2);
  return paymentsConclusion(evidence, ofSubAgents);
}

function idsIn(body: ReceivedBody, pattern: RegExp): readonly string[] {
  return [...new Set([...textOf(body).matchAll(pattern)].flatMap(([, id]) => id ?? []))];
}
