import { cancelled, tooLarge } from './agent-stop.ts';
import { askForOutput, handIn } from './hand-in.ts';
import type { ModelBlock, ModelResponse, ToolUse } from './model.ts';
import { nudge, SHORTER, turnsLeftNote } from './prompts.ts';
import type { Course, Step } from './step.ts';
import { nextInputTokens, takeWorkingTurn, type AgentRun } from './take-turn.ts';
import type { Dispatched } from './tools/dispatch.ts';
import { spokenText } from './transcript.ts';

/** Turns in a row that only repeat earlier calls. */
const MOST_REPEAT_TURNS = 2;
/** Turns that used the same tool since the last new piece of evidence. */
const MOST_BARREN_TURNS = 5;

/** A turn in which the model may call tools, when there is room for one and for the final turn after it. Throws `AgentStop`. */
export async function work(run: AgentRun): Promise<Step> {
  const outputTokens = run.maxOutputTokens * (run.course.truncated ? 2 : 1);
  const spent = run.ledger.spentForWork({ inputTokens: nextInputTokens(run), outputTokens });
  if (spent) return askForOutput(run, spent);
  const outcome = await takeWorkingTurn(run, outputTokens);
  if (outcome.kind === 'late') return askForOutput(run, 'deadline');
  if (outcome.kind === 'reply') return follow(run, outcome.response);
  // The same again would be too large again.
  if (!run.transcript.condense(outcome.lastObservation)) throw tooLarge();
  return askForOutput(run, 'overflow');
}

/** Acts on one reply. */
function follow(run: AgentRun, response: ModelResponse): Step {
  const { course, transcript } = run;
  if (response.stopReason === 'max_tokens') {
    // The input of a tool call that was cut off may look complete and be empty: it is never run, and the reply is dropped.
    if (course.truncated) return askForOutput(run, 'truncated');
    course.truncated = true;
    course.recoveryNote = SHORTER;
    return { kind: 'work' };
  }
  const uses = response.stopReason === 'tool_use' ? toolUses(response.blocks) : [];
  const blocks = response.blocks.filter((block) => block.kind !== 'tool_use' || uses.includes(block));
  transcript.assistant(blocks);
  if (uses.length > 0) return { kind: 'tools', uses };
  const text = spokenText(blocks);
  if (run.output.judge(text, run.book.all()).kind === 'judged') return handIn(run, undefined, text);
  if (course.nudged) return askForOutput(run, 'no_progress');
  course.nudged = true;
  transcript.user(nudge(run.output.name));
  return { kind: 'work' };
}

/** Each id once: an id that occurs twice cannot be answered twice. */
function toolUses(blocks: readonly ModelBlock[]): readonly ToolUse[] {
  const byId = new Map<string, ToolUse>();
  for (const block of blocks) if (block.kind === 'tool_use' && !byId.has(block.id)) byId.set(block.id, block);
  return [...byId.values()];
}

/** Runs the tools that the model's last message asks for. Adds to the gaps what they could not read. */
export async function answerTools(run: AgentRun, uses: readonly ToolUse[]): Promise<Step> {
  const { ledger, transcript, gaps, signal } = run;
  run.progress(`turn ${ledger.turns}: ${uses.map(({ name }) => name).join(', ')}`);
  const limits = {
    turn: ledger.turns,
    callsLeft: ledger.toolCallsLeft,
    timeLeftMs: ledger.workTimeLeftMs,
    signal,
  };
  const done = await run.dispatch.answer(uses, limits).catch((error: unknown) => {
    if (signal.aborted) throw cancelled(signal, ledger.timeLeftMs, error);
    throw error;
  });
  ledger.countToolCalls(done.ran);
  transcript.tools(done.answers, done.calls, turnsLeftNote(ledger.turnsLeft));
  for (const gap of done.gaps) if (!gaps.some(({ message }) => message === gap.message)) gaps.push(gap);
  return isStuck(run.course, done) ? askForOutput(run, 'no_progress') : { kind: 'work' };
}

/** A model that goes round in circles is asked for its result. */
function isStuck(course: Course, done: Dispatched): boolean {
  course.repeatTurns = done.onlyRepeats ? course.repeatTurns + 1 : 0;
  // Not looked up in the object: the model may make up a name, and `constructor` is one that every object has.
  const turnsByTool = new Map(done.newEvidence > 0 ? [] : Object.entries(course.barrenTurns));
  const names = done.newEvidence > 0 ? [] : new Set(done.calls.map(({ name }) => name));
  for (const name of names) turnsByTool.set(name, (turnsByTool.get(name) ?? 0) + 1);
  course.barrenTurns = Object.fromEntries(turnsByTool);
  const barren = Math.max(0, ...turnsByTool.values());
  return course.repeatTurns >= MOST_REPEAT_TURNS || barren >= MOST_BARREN_TURNS;
}
