import { z } from 'zod';
import { Conclusion } from '../domain/report.ts';
import type { Problem, Verification } from '../domain/verification.ts';
import { AgentStop } from './agent-stop.ts';
import type { JsonSchema } from './model.ts';
import { parseReport } from './parse-report.ts';
import { finalRequest, repairRequest, SHORTER, type FinalCause } from './prompts.ts';
import { takeFinalTurn, type AgentRun } from './take-turn.ts';
import { spokenText } from './transcript.ts';

const { $schema: _, ...REPORT_SCHEMA }: JsonSchema = z.toJSONSchema(Conclusion);

/** The forced final turn: no tools, the report's schema, then the checks. Throws `AgentStop` when no valid report comes of it. */
export async function writeReport(run: AgentRun, cause: FinalCause): Promise<Verification> {
  run.transcript.user(finalRequest(cause));
  return checkReport(run, await askForReport(run));
}

/**
 * Checks what the model handed in as its report, by schema and then against the evidence. What does not hold is sent back once, as paths
 * and rules. A report that is valid but cites what does not exist is good enough without its unsupported claims.
 */
export async function checkReport(run: AgentRun, text: string): Promise<Verification> {
  const first = judge(run, text);
  if (first.problems.length === 0 && first.verification) return first.verification;
  run.progress(`the report has ${first.problems.length} problems: asking for a repair`);
  run.transcript.user(repairRequest(first.problems));
  try {
    const second = judge(run, await askForReport(run));
    const verification = second.verification ?? first.verification;
    if (verification) return verification;
    throw new AgentStop(
      'invalid_report',
      `the report of the model was not valid, and not after a repair either: ${inWords(second.problems)}`,
    );
  } catch (error) {
    if (!(error instanceof AgentStop) || error.terminationReason === 'aborted') throw error;
    if (first.verification) return first.verification;
    if (error.terminationReason === 'invalid_report') throw error;
    throw new AgentStop(
      error.terminationReason,
      `the report of the model was not valid (${inWords(first.problems)}) and could not be repaired: ${error.message}`,
      { cause: error },
    );
  }
}

interface Judgement {
  readonly verification: Verification | undefined;
  readonly problems: readonly Problem[];
}

function judge(run: AgentRun, text: string): Judgement {
  const parsed = parseReport(text);
  if (parsed.kind === 'none')
    return { verification: undefined, problems: [{ path: '', rule: 'answer with one JSON object' }] };
  if (parsed.kind === 'invalid') return { verification: undefined, problems: parsed.problems };
  const verification = run.verify(parsed.conclusion, run.book.all());
  return { verification, problems: verification.problems };
}

/** Returns the text of the answer. One that was cut off at the output limit is dropped and asked for once more, with twice the room. */
async function askForReport(run: AgentRun): Promise<string> {
  for (const factor of [1, 2]) {
    const response = await takeFinalTurn(run, factor * run.maxOutputTokens, REPORT_SCHEMA);
    if (response.stopReason !== 'max_tokens') {
      // Tool calls cannot be answered any more, and an unanswered one may not stand in the transcript.
      run.transcript.assistant(response.blocks.filter((block) => block.kind !== 'tool_use'));
      return spokenText(response.blocks);
    }
    if (factor === 1) run.transcript.user(SHORTER);
  }
  throw new AgentStop('invalid_report', 'the answer of the model was cut off at the output limit, twice');
}

function inWords(problems: readonly Problem[]): string {
  const words = problems.slice(0, 3).map(({ path, rule }) => (path ? `${path}: ${rule}` : rule));
  return words.join('; ') + (problems.length > 3 ? ` and ${problems.length - 3} more` : '');
}
