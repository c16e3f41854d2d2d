import { z } from 'zod';
import type { Evidence, EvidenceBook } from '../../domain/evidence.ts';
import type { Hypothesis } from '../../domain/hypothesis.ts';
import { assignStances, type DelegatedTask } from '../hypotheses/assign-stances.ts';
import type { Allowance, Ledger } from '../ledger.ts';
import { subAgentId } from '../sub-agents/ids.ts';
import { lost } from '../sub-agents/lost.ts';
import type { RunSubAgents, SubAgentOrder, SubAgentOutcome } from '../sub-agents/port.ts';
import { clip } from '../../policy/untrusted.ts';
import { defineTool, ToolFailure, type Tool, type ToolContext, type ToolData } from './tool.ts';

const MOST_TASKS = 4;
/** Numbers of evidence of one kind that one agent may give out: six working turns of eight calls, none of which shows more than 200 items. */
const NUMBERS_AN_AGENT = 10_000;
/** Kept free above the numbers of the brief for what the main agent finds itself in a turn. */
const NUMBERS_OF_MAIN = 1600;
/** Of the time that is lent: a sub-agent ends, is collected and is told of before the call is over. */
const TIME_SHARE = 0.85;

/** Characters of the whole result; present.ts cuts at whole lines above its own limit, and each task is a line. */
const MOST_RESULT_CHARACTERS = 11_000;

const Task = z.strictObject({
  task: z
    .string()
    .trim()
    .min(1)
    .max(2000)
    .describe('What to find out, with all background: the sub-agent sees the brief, not this conversation.'),
  hypothesis: z
    .string()
    .regex(/^H[1-4]$/)
    .optional()
    .describe('Id of the hypothesis that the task is about.'),
  stance: z.enum(['test', 'refute']).optional().describe('refute: look for what speaks against the hypothesis.'),
});

/** Whom the tool works for. */
export interface DelegateDeps {
  /** Id of the session of the agent that delegates. */
  readonly sessionId: string;
  readonly ledger: Pick<Ledger, 'reserve' | 'settle'>;
  readonly runSubAgents: RunSubAgents;
  /** Those that compete, the leader first. */
  readonly hypotheses: readonly Hypothesis[];
}

/**
 * Hands 1–4 tasks to sub-agents that work side by side, and returns what they found, in the order of the tasks (SPEC B13). One that crashes, runs out
 * of time or is given up is an entry with its reason; the others count. One call a turn, so that ids derive from the turn and a resumed run
 * finds the same sub-agents again.
 */
export function delegateTool({ sessionId, ledger, runSubAgents, hypotheses }: DelegateDeps): Tool {
  let delegatedInTurn = 0;
  return defineTool({
    name: 'delegate',
    description:
      'Hands 1 to 4 tasks to sub-agents that work in parallel, with the same read-only tools and at most 8 turns each. Use it when several ' +
      'explanations have to be tested against live evidence: one task a hypothesis, one of them to refute the leader. Returns a conclusion with ' +
      'evidence ids for each task; you can cite these ids. One call a turn.',
    input: z.strictObject({ tasks: z.array(Task).min(1).max(MOST_TASKS) }),
    longRunning: true,
    async run({ tasks: given }, context, signal) {
      if (delegatedInTurn === context.turn)
        throw new ToolFailure('delegate was called before in this turn. Put all tasks in one call, in the next turn.');
      // By what is kept over a restart, so that a resumed run orders the same again.
      const wasTried = context.book.all().some(({ foundBy }) => foundBy !== undefined);
      delegatedInTurn = context.turn;
      const { tasks, note, allowances } = reserveFor(given, wasTried, { ledger, hypotheses });
      const orders = writeOrders(sessionId, context, tasks, allowances);
      const outcomes = await runSubAgents(orders, signal);
      const carried = orders.map((order, i) => ({ order, outcome: outcomes[i] ?? lost('it has no outcome') }));
      for (const [i, { order, outcome }] of carried.entries()) {
        const allowance = allowances[i];
        if (allowance) ledger.settle(allowance, outcome);
        if (outcome.kind === 'done') for (const item of outcome.evidence) context.book.adopt(item, order.id);
      }
      const told = tell(carried, context.book);
      return note === '' ? told : { ...told, notes: [note, ...told.notes] };
    },
  });
}

/** The tasks with their stances, and what pays for them: where the budget has none to spare for a further task, one of those given is changed. */
function reserveFor(
  given: readonly DelegatedTask[],
  wasTried: boolean,
  { ledger, hypotheses }: Pick<DelegateDeps, 'ledger' | 'hypotheses'>,
) {
  for (const most of [MOST_TASKS, given.length]) {
    const assigned = assignStances(given, hypotheses, wasTried, most);
    const allowances = ledger.reserve(assigned.tasks.length);
    if (allowances) return { ...assigned, allowances };
  }
  throw new ToolFailure(TOO_LITTLE_LEFT);
}

const TOO_LITTLE_LEFT =
  'Not run: what is left of the budget does not pay for these sub-agents. Hand over fewer tasks, or go on yourself.';

interface Carried {
  readonly order: SubAgentOrder;
  readonly outcome: SubAgentOutcome;
}

function writeOrders(
  sessionId: string,
  { turn, book, brief }: ToolContext,
  tasks: readonly DelegatedTask[],
  allowances: readonly Allowance[],
): readonly SubAgentOrder[] {
  const inBrief = new Set(brief.evidence.map(({ id }) => id));
  const known = book.all().filter(({ id }) => !inBrief.has(id));
  return allowances.flatMap((allowance, i) => {
    const given = tasks[i];
    if (!given) return [];
    const { task, hypothesis, stance } = given;
    return {
      id: subAgentId(sessionId, turn, i + 1),
      task,
      ...(hypothesis ? { hypothesis } : {}),
      ...(stance ? { stance } : {}),
      firstEvidenceNumber: firstNumber(brief.evidence, (turn - 1) * MOST_TASKS + i + 1),
      known,
      allowance: { ...allowance, timeMs: Math.floor(allowance.timeMs * TIME_SHARE) },
    };
  });
}

/** The `place`-th possible sub-agent of an investigation counts from its own ten thousand, above those that the brief has filled. */
function firstNumber(brief: readonly Evidence[], place: number): number {
  const highest = Math.max(0, ...brief.map(({ id }) => Number(id.slice(1))));
  const filled = Math.floor((highest + NUMBERS_OF_MAIN) / NUMBERS_AN_AGENT);
  return (filled + place) * NUMBERS_AN_AGENT + 1;
}

/** One JSON line a task, in their order. When not one has succeeded, the call has failed. */
function tell(carried: readonly Carried[], book: EvidenceBook): ToolData {
  const failed = carried.filter(({ outcome }) => outcome.kind === 'lost');
  if (failed.length === carried.length) {
    const reasons = carried.map(
      ({ order, outcome }) => `${order.id}: ${outcome.kind === 'lost' ? outcome.reason : ''}`,
    );
    throw new ToolFailure(`No sub-agent came back with a finding. ${reasons.join('; ')}. Go on yourself.`);
  }
  const room = Math.floor(MOST_RESULT_CHARACTERS / carried.length);
  return {
    kind: 'text',
    searched: `${carried.length} ${carried.length === 1 ? 'task' : 'tasks'} by sub-agents`,
    text: carried.map((one, i) => lineFor(one, i + 1, book, room)).join('\n'),
    notes: failed.length > 0 ? [`${failed.length} of ${carried.length} tasks failed; the others count.`] : [],
  };
}

/** Shares of the longest texts; the whole finding stands in the sub-agent's session. */
const SCALES = [1, 0.6, 0.35, 0.2] as const;

function lineFor({ order, outcome }: Carried, task: number, book: EvidenceBook, room: number): string {
  const head = { task, session: order.id, ...(order.hypothesis ? { hypothesis: order.hypothesis } : {}) };
  if (outcome.kind === 'lost') return JSON.stringify({ ...head, error: clip(outcome.reason, 300) });
  const lines = SCALES.map((scale) => JSON.stringify({ ...head, ...summary(outcome, book, scale) }));
  return lines.find((line) => line.length <= room) ?? lines.at(-1) ?? '';
}

function summary(
  { finding, gaps, terminationReason }: SubAgentOutcome & { kind: 'done' },
  book: EvidenceBook,
  scale: number,
) {
  const upTo = (characters: number) => Math.floor(characters * scale);
  const cited = finding.evidence.flatMap((id) => book.get(id) ?? []);
  return {
    conclusion: clip(finding.conclusion, upTo(1500)),
    // Not `[M1] …`: within quoted text that form is taken for a forgery.
    evidence: cited.slice(0, upTo(8)).map(({ id, statement }) => ({ id, statement: clip(statement, upTo(240)) })),
    verdicts: finding.verdicts.map((verdict) => ({ ...verdict, why: clip(verdict.why, upTo(300)) })),
    gaps: [...finding.gaps, ...gaps.map(({ source, message }) => `${source}: ${message}`)]
      .slice(0, upTo(8))
      .map((gap) => clip(gap, upTo(300))),
    ...(terminationReason === 'done' ? {} : { ended: terminationReason }),
  };
}
