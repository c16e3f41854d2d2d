import type { TranscriptEntry } from '../domain/session.ts';
import type { ModelBlock, ModelMessage, ToolAnswer } from './model.ts';

const DROPPED = '[older result dropped to fit the context window; its evidence ids can still be cited]';

/**
 * What is said in a run, twice: as messages for the model, and as redacted entries for the session. The system prompt is no message.
 * What the caller hands over for the model is already redacted and fenced.
 */
export class Transcript {
  #messages: ModelMessage[] = [];
  readonly #entries: TranscriptEntry[] = [];
  readonly #redact: (text: string) => string;
  readonly #now: () => number;

  constructor(redact: (text: string) => string, now: () => number) {
    this.#redact = redact;
    this.#now = now;
  }

  get messages(): readonly ModelMessage[] {
    return [...this.#messages];
  }

  get entries(): readonly TranscriptEntry[] {
    return [...this.#entries];
  }

  system(text: string): void {
    this.#record('system', text);
  }

  user(text: string): void {
    this.#messages.push({ role: 'user', text });
    this.#record('user', text);
  }

  /** Tool uses among `blocks` must all be answered by the next call of `tools`. */
  assistant(blocks: readonly ModelBlock[]): void {
    this.#record('assistant', spokenText(blocks));
    // A message without content is refused; there is nothing to send back.
    if (blocks.length > 0) this.#messages.push({ role: 'assistant', blocks });
  }

  tools(answers: readonly ToolAnswer[], calls: readonly NonNullable<TranscriptEntry['tool']>[], note: string): void {
    this.#messages.push({ role: 'tools', answers, ...(note ? { note } : {}) });
    answers.forEach((answer, i) => {
      const call = calls[i];
      if (call) this.#record('tool', answer.text, { ...call, input: this.#redactDeep(call.input) });
    });
  }

  /** Replaces all tool results but those of the last tool turn; the incident and the brief stay. */
  dropOlderResults(): void {
    const last = this.#messages.findLastIndex((message) => message.role === 'tools');
    this.#messages = this.#messages.map((message, i) =>
      message.role === 'tools' && i !== last
        ? { ...message, answers: message.answers.map((answer) => ({ ...answer, text: DROPPED })) }
        : message,
    );
  }

  #record(role: TranscriptEntry['role'], text: string, tool?: TranscriptEntry['tool']): void {
    this.#entries.push({ role, text: this.#redact(text), ...(tool ? { tool } : {}), atMs: this.#now() });
  }

  #redactDeep(value: unknown): unknown {
    if (typeof value === 'string') return this.#redact(value);
    if (Array.isArray(value)) return value.map((item) => this.#redactDeep(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.#redact(key), this.#redactDeep(item)]));
  }
}

/** The text the model wrote, without its tool calls. */
export function spokenText(blocks: readonly ModelBlock[]): string {
  return blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n');
}
