import type { Gap } from '../domain/telemetry.ts';
import type { Verification } from '../domain/verification.ts';
import { cancelled, type TerminationReason } from './agent-stop.ts';
import type { ModelBlock, ModelResponse, ToolUse } from './model.ts';
import { parseReport } from './parse-report.ts';
import { NUDGE, turnsLeftNote, type FinalCause } from './prompts.ts';
import { nextInputTokens, takeWorkingTurn, type AgentRun } from './take-turn.ts';
import type { Dispatch, Dispatched } from './tools/dispatch.ts';
import { spokenText } from './transcript.ts';
import { checkReport, writeReport } from './write-report.ts';

/** Turns in a row that only repeat earlier calls. */
const MOST_REPEAT_TURNS = 2;
/** Turns that used the same tool since the last new piece of evidence. */
const MOST_BARREN_TURNS = 5;

export interface Ending {
  readonly verification: Verification;
  readonly terminationReason: TerminationReason;
}

/** What the loop remembers from turn to turn, beside the transcript and the ledger. */
interface Course {
  /** Set once no further working turn makes sense. */
  cause: FinalCause | undefined;
  nudged: boolean;
  truncated: boolean;
  repeatTurns: number;
  readonly barrenTurns: Map<string, number>;
}

/**
 * Working turns until the model hands in its report or something says that the next turn must be the final one. Every pass of the loop
 * takes one turn off the ledger, so it ends. Adds to `gaps` what tools could not read. Throws `AgentStop`.
 */
export async function searchAndConclude(run: AgentRun, dispatch: Dispatch, gaps: Gap[]): Promise<Ending> {
  const course: Course = { cause: undefined, nudged: false, truncated: false, repeatTurns: 0, barrenTurns: new Map() };
  for (;;) {
    const cause = course.cause ?? run.budget.spentForWork(nextInputTokens(run));
    if (cause) return conclude(run, cause, gaps);
    const outcome = await takeWorkingTurn(run, run.maxOutputTokens * (course.truncated ? 2 : 1));
    if (outcome.kind === 'late') course.cause = 'deadline';
    else if (outcome.kind === 'overflow') {
      run.transcript.dropOlderResults();
      course.cause = 'overflow';
    } else {
      const report = await follow(run, dispatch, gaps, course, outcome.response);
      if (report) return { verification: report, terminationReason: 'done' };
    }
  }
}

/** The forced final turn. That the search ended early is something the reader of the report should know. */
async function conclude(run: AgentRun, cause: FinalCause, gaps: Gap[]): Promise<Ending> {
  run.progress(`final turn (${cause.replace('_', ' ')})`);
  const verification = await writeReport(run, cause);
  if (cause === 'no_progress') return { verification, terminationReason: 'done' };
  gaps.push({ source: 'agent', message: `The search for evidence ended early: ${EARLY_END[cause]}.` });
  return { verification, terminationReason: cause === 'truncated' ? 'tokens' : cause };
}

const EARLY_END: Readonly<Record<Exclude<FinalCause, 'no_progress'>, string>> = {
  turns: 'all turns were used',
  deadline: 'the time was used up',
  tokens: 'the token budget was used up',
  tool_calls: 'all tool calls were used',
  truncated: 'answers of the model were cut off at the output limit',
  overflow: 'the transcript no longer fitted the context window of the model',
};

/** Acts on one reply. Returns the checked report when the reply was one. */
async function follow(
  run: AgentRun,
  dispatch: Dispatch,
  gaps: Gap[],
  course: Course,
  response: ModelResponse,
): Promise<Verification | undefined> {
  if (response.stopReason === 'max_tokens') {
    // The input of a tool call that was cut off may look complete and be empty: it is never run, and the reply is dropped.
    if (course.truncated) course.cause = 'truncated';
    course.truncated = true;
    return undefined;
  }
  const uses = response.stopReason === 'tool_use' ? toolUses(response.blocks) : [];
  const blocks = response.blocks.filter((block) => block.kind !== 'tool_use' || uses.includes(block));
  run.transcript.assistant(blocks);
  if (uses.length > 0) {
    await answerTools(run, dispatch, gaps, course, uses);
    return undefined;
  }
  const text = spokenText(blocks);
  if (parseReport(text).kind !== 'none') return checkReport(run, text);
  if (course.nudged) course.cause = 'no_progress';
  else run.transcript.user(NUDGE);
  course.nudged = true;
  return undefined;
}

/** Each id once: an id that occurs twice cannot be answered twice. */
function toolUses(blocks: readonly ModelBlock[]): readonly ToolUse[] {
  const byId = new Map<string, ToolUse>();
  for (const block of blocks) if (block.kind === 'tool_use' && !byId.has(block.id)) byId.set(block.id, block);
  return [...byId.values()];
}

async function answerTools(
  run: AgentRun,
  dispatch: Dispatch,
  gaps: Gap[],
  course: Course,
  uses: readonly ToolUse[],
): Promise<void> {
  run.progress(`turn ${run.budget.turns}: ${uses.map(({ name }) => name).join(', ')}`);
  const { toolCallsLeft: callsLeft, workTimeLeftMs: timeLeftMs } = run.budget;
  const done = await dispatch(uses, { callsLeft, timeLeftMs, signal: run.signal }).catch((error: unknown) => {
    if (run.signal.aborted) throw cancelled(run.signal, run.budget.timeLeftMs, error);
    throw error;
  });
  run.budget.countToolCalls(done.ran);
  run.transcript.tools(done.answers, done.calls, turnsLeftNote(run.budget.turnsLeft));
  for (const gap of done.gaps) if (!gaps.some(({ message }) => message === gap.message)) gaps.push(gap);
  if (isStuck(course, done)) course.cause = 'no_progress';
}

/** Nudge, then stop: a model that goes round in circles is asked for its report. */
function isStuck(course: Course, done: Dispatched): boolean {
  course.repeatTurns = done.onlyRepeats ? course.repeatTurns + 1 : 0;
  if (done.newEvidence > 0) course.barrenTurns.clear();
  else
    for (const name of new Set(done.calls.map((call) => call.name)))
      course.barrenTurns.set(name, (course.barrenTurns.get(name) ?? 0) + 1);
  return course.repeatTurns >= MOST_REPEAT_TURNS || Math.max(0, ...course.barrenTurns.values()) >= MOST_BARREN_TURNS;
}
