import type { TranscriptEntry } from '../domain/session.ts';
import type { ModelBlock, ModelMessage, ToolAnswer } from './model.ts';
import { redactDeep } from './tools/redact-deep.ts';

const DROPPED = '[older result dropped to fit the context window; its evidence ids can still be cited]';

/** Everything that was said, as a checkpoint keeps it. Plain JSON, redacted. */
export interface TranscriptState {
  readonly messages: readonly ModelMessage[];
  readonly entries: readonly TranscriptEntry[];
}

/**
 * What is said in a run, twice: as messages for the model, and as entries for the session. The system prompt is no message. What the caller hands over
 * for the model is already redacted and fenced; what the model says is redacted here, tool inputs included, before it is kept or sent back.
 */
export class Transcript {
  #messages: readonly ModelMessage[] = [];
  #entries: readonly TranscriptEntry[] = [];
  readonly #redact: (text: string) => string;
  readonly #now: () => number;

  constructor(redact: (text: string) => string, now: () => number) {
    this.#redact = redact;
    this.#now = now;
  }

  restore({ messages, entries }: TranscriptState): void {
    this.#messages = messages;
    this.#entries = entries;
  }

  get state(): TranscriptState {
    return { messages: this.#messages, entries: this.#entries };
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  get entries(): readonly TranscriptEntry[] {
    return this.#entries;
  }

  system(text: string): void {
    this.#record('system', text);
  }

  user(text: string): void {
    this.#say({ role: 'user', text });
    this.#record('user', text);
  }

  /** Tool uses among `blocks` must all be answered by the next call of `tools`. */
  assistant(blocks: readonly ModelBlock[]): void {
    this.#record('assistant', spokenText(blocks));
    // A message without content is refused; there is nothing to send back.
    if (blocks.length > 0) this.#say({ role: 'assistant', blocks: blocks.map((block) => this.#redactBlock(block)) });
  }

  /** Inputs of `calls` are redacted already. */
  tools(answers: readonly ToolAnswer[], calls: readonly NonNullable<TranscriptEntry['tool']>[], note: string): void {
    this.#say({ role: 'tools', answers, ...(note ? { note } : {}) });
    answers.forEach((answer, i) => {
      const call = calls[i];
      if (call) this.#record('tool', answer.text, call);
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

  #say(message: ModelMessage): void {
    this.#messages = [...this.#messages, message];
  }

  #record(role: TranscriptEntry['role'], text: string, tool?: TranscriptEntry['tool']): void {
    const entry = { role, text: this.#redact(text), ...(tool ? { tool } : {}), atMs: this.#now() };
    this.#entries = [...this.#entries, entry];
  }

  /** Opaque blocks are signed by the model's vendor: changed ones would be refused. */
  #redactBlock(block: ModelBlock): ModelBlock {
    if (block.kind === 'text') return { ...block, text: this.#redact(block.text) };
    if (block.kind === 'tool_use') return { ...block, input: redactDeep(block.input, this.#redact) };
    return block;
  }
}

/** The text the model wrote, without its tool calls. */
export function spokenText(blocks: readonly ModelBlock[]): string {
  return blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n');
}
