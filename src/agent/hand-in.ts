import type { Problem } from '../domain/verification.ts';
import { AgentStop } from './agent-stop.ts';
import { finalRequest, repairRequest, SHORTER, type FinalCause } from './prompts.ts';
import type { Ended, HandedIn, Step } from './step.ts';
import { spentForFinal, takeFinalTurn, type AgentRun } from './take-turn.ts';
import { spokenText } from './transcript.ts';

/** Ends the search: the next turn can only be answered with the result. */
export function askForOutput(run: AgentRun, cause: FinalCause): Step {
  run.progress(`final turn (${cause.replace('_', ' ')})`);
  shorten(run);
  run.transcript.user(finalRequest(cause, run.output.name));
  return { kind: 'final', cause, secondTry: false };
}

/**
 * The last results may be larger than what was held back for the final turn. A result from a summary of them is worth more than none: without this, all that was
 * paid for would be lost.
 */
function shorten(run: AgentRun): void {
  const { transcript } = run;
  const spent = spentForFinal(run, run.maxOutputTokens);
  if (spent === 'tokens' || spent === 'cost') transcript.condense(transcript.conversation.lastObservation);
}

/** The forced final turn: no tools, the schema of the result. Throws `AgentStop`. */
export async function takeFinal(run: AgentRun, step: Step & { kind: 'final' }): Promise<Step> {
  const text = await answerOf(run, step.secondTry);
  return text === undefined ? { ...step, secondTry: true } : handIn(run, step.cause, text);
}

/**
 * Checks what the model handed in as its result, by schema and then against the evidence. What does not hold is sent back once, as paths
 * and rules.
 */
export function handIn(run: AgentRun, cause: FinalCause | undefined, text: string): Step {
  const first = judge(run, text);
  if (first.problems.length === 0 && first.value !== undefined) return concluded(run, cause, first);
  run.progress(`the ${run.output.name} has ${first.problems.length} problems: asking for a repair`);
  run.transcript.user(repairRequest(first.problems, run.output.name));
  return { kind: 'repair', cause, first, secondTry: false };
}

/**
 * The one repair. A result that is valid but cites what does not exist is good enough without its unsupported claims, whatever becomes of the
 * repair. Throws `AgentStop` when there is no valid result.
 */
export async function takeRepair(run: AgentRun, step: Step & { kind: 'repair' }): Promise<Step> {
  const { cause, first } = step;
  const { name } = run.output;
  try {
    const text = await answerOf(run, step.secondTry);
    if (text === undefined) return { ...step, secondTry: true };
    const second = judge(run, text);
    const usable = [second, first].find(({ value }) => value !== undefined);
    if (usable) return repaired(run, cause, usable);
    throw new AgentStop(
      'invalid_report',
      `the ${name} of the model was not valid, and not after a repair either: ${inWords(second.problems)}`,
    );
  } catch (error) {
    if (!(error instanceof AgentStop) || error.terminationReason === 'aborted') throw error;
    if (first.value !== undefined) return repaired(run, cause, first);
    if (error.terminationReason === 'invalid_report') throw error;
    throw new AgentStop(
      error.terminationReason,
      `the ${name} of the model was not valid (${inWords(first.problems)}) and could not be repaired: ${error.message}`,
      { cause: error },
    );
  }
}

/** The text of the answer; undefined when it was cut off at the output limit and was dropped: the model has been told to be shorter. */
async function answerOf(run: AgentRun, secondTry: boolean): Promise<string | undefined> {
  const response = await takeFinalTurn(run, run.maxOutputTokens * (secondTry ? 2 : 1));
  if (response.stopReason !== 'max_tokens') {
    // Tool calls cannot be answered any more, and an unanswered one may not stand in the transcript.
    run.transcript.assistant(response.blocks.filter((block) => block.kind !== 'tool_use'));
    return spokenText(response.blocks);
  }
  if (secondTry)
    throw new AgentStop('invalid_report', 'the answer of the model was cut off at the output limit, twice');
  run.course.recoveryNote = SHORTER;
  return undefined;
}

function judge(run: AgentRun, text: string): HandedIn {
  const judged = run.output.judge(text, run.book.all());
  if (judged.kind === 'judged') return judged;
  return { value: undefined, problems: [{ path: '', rule: 'answer with one JSON object' }], removed: [] };
}

/** That the search ended early is something the reader of the report should know. */
function concluded(run: AgentRun, cause: FinalCause | undefined, { value, removed }: HandedIn): Ended {
  if (!cause || cause === 'no_progress') return { kind: 'ended', terminationReason: 'done', value, removed };
  run.gaps.push({ source: 'agent', message: `The search for evidence ended early: ${EARLY_END[cause]}.` });
  return { kind: 'ended', terminationReason: cause === 'truncated' ? 'tokens' : cause, value, removed };
}

function repaired(run: AgentRun, cause: FinalCause | undefined, handedIn: HandedIn): Ended {
  return { ...concluded(run, cause, handedIn), repair: handedIn.problems.length === 0 ? 'mended' : 'cut' };
}

const EARLY_END: Readonly<Record<Exclude<FinalCause, 'no_progress'>, string>> = {
  turns: 'all turns were used',
  deadline: 'the time was used up',
  tokens: 'the token budget was used up',
  cost: 'the cost limit was reached',
  tool_calls: 'all tool calls were used',
  truncated: 'answers of the model were cut off at the output limit',
  overflow: 'the transcript no longer fitted the context window of the model',
};

function inWords(problems: readonly Problem[]): string {
  const words = problems.slice(0, 3).map(({ path, rule }) => (path ? `${path}: ${rule}` : rule));
  return words.join('; ') + (problems.length > 3 ? ` and ${problems.length - 3} more` : '');
}
