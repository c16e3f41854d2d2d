const WORDS: Readonly<Record<string, string>> = {
  no_model: 'no model was asked',
  given_up: 'given up',
  turns: 'all turns were used',
  deadline: 'the time was over',
  tokens: 'the tokens were used up',
  cost: 'the money was used up',
  tool_calls: 'all tool calls were used',
  refusal: 'the model refused',
  overflow: 'the context of the model was too small',
  provider_error: 'the model failed',
  aborted: 'stopped',
  invalid_report: 'no valid report',
};

/** Why a session ended, for people. */
export function endedInWords(terminationReason: string): string {
  return WORDS[terminationReason] ?? terminationReason.replaceAll('_', ' ');
}
