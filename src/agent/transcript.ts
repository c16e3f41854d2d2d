import type { ToolCall, TranscriptEntry } from '../domain/session.ts';
import { fence } from '../policy/untrusted.ts';
import type { ModelBlock, ModelMessage, ToolAnswer } from './model.ts';
import { SUMMARY_PREFIX, summaryOf, WINDOW_MESSAGES, type Message } from './state/compact-messages.ts';
import { ConversationState } from './state/conversation-state.ts';
import { redactDeep } from './tools/redact-deep.ts';

/** Everything that was said, as a checkpoint keeps it. Plain JSON, redacted. */
export interface TranscriptState {
  readonly pinned: ModelMessage | null;
  readonly turns: readonly Turn[];
  readonly given: readonly ModelMessage[];
  /** Of the turns before these; null while there are none. With `turns` it is the conversation. */
  readonly summary: string | null;
  readonly lastObservation: string | null;
  readonly entries: readonly TranscriptEntry[];
}

/** What the model was given, and what it said to that. */
interface Turn {
  readonly given: readonly ModelMessage[];
  readonly said: ModelMessage;
}

export interface TranscriptOptions {
  readonly redact: (text: string) => string;
  readonly now: () => number;
  /** Fences what others wrote when it is said again in a summary. */
  readonly nonce: string;
}

/**
 * Of twelve turns that overflow, seven stay: a compaction changes what the model is sent from its second message on, so each one costs the cache, and
 * compacting by one turn at a time would cost it every turn.
 */
const WINDOW = { maxMessages: WINDOW_MESSAGES, keepMessages: 14 };
const NO_ANSWER = '(no answer: the request did not fit)';

/**
 * What is said in a run, three times: as messages for the model, as the conversation (which decides what the model is still sent word for word), and
 * as entries for the session, which lose nothing. The system prompt is no message. What the caller hands over for the model is already redacted and
 * fenced; what the model says is redacted here, tool inputs included, before it is kept or sent back.
 */
export class Transcript {
  readonly #redact: (text: string) => string;
  readonly #now: () => number;
  readonly #nonce: string;
  readonly #conversation = new ConversationState(WINDOW);
  /** The first message: the incident and the brief. It never leaves. */
  #pinned: ModelMessage | undefined;
  /** Turns that the model is sent word for word. */
  #turns: readonly Turn[] = [];
  /** What it has not answered yet. */
  #given: readonly ModelMessage[] = [];
  #summary: ModelMessage | undefined;
  #entries: readonly TranscriptEntry[] = [];

  constructor({ redact, now, nonce }: TranscriptOptions) {
    this.#redact = redact;
    this.#now = now;
    this.#nonce = nonce;
  }

  restore(state: TranscriptState): void {
    this.#pinned = state.pinned ?? undefined;
    this.#turns = state.turns;
    this.#given = state.given;
    this.#conversation.messages = this.#conversationOf(state);
    this.#conversation.observe(state.lastObservation ?? '');
    this.#summary = this.#summaryMessage();
    this.#entries = state.entries;
  }

  get state(): TranscriptState {
    const { lastObservation } = this.#conversation;
    const [turns, given, entries] = [this.#turns, this.#given, this.#entries];
    return { pinned: this.#pinned ?? null, turns, given, summary: this.#summaryBody ?? null, lastObservation, entries };
  }

  /** For the model: the first message, a summary of what left the window, and the newest turns. */
  get messages(): readonly ModelMessage[] {
    const head = [this.#pinned, this.#summary].filter((message) => message !== undefined);
    return [...head, ...this.#turns.flatMap(({ given, said }) => [...given, said]), ...this.#given];
  }

  /** In words, and within its window. Turns begin from it. */
  get conversation(): ConversationState {
    return this.#conversation;
  }

  /** What the model is given in the turn that comes. */
  get pendingText(): string {
    return this.#given.map((message) => this.#inWords(message)).join('\n');
  }

  get entries(): readonly TranscriptEntry[] {
    return this.#entries;
  }

  system(text: string): void {
    this.#record('system', text);
  }

  user(text: string): void {
    const message = { role: 'user' as const, text };
    if (this.#pinned) this.#given = [...this.#given, message];
    else this.#pinned = message;
    this.#record('user', text);
  }

  /** For the session only: what the model was told in one turn and not again. */
  remark(text: string): void {
    this.#record('user', text);
  }

  /** Tool uses among `blocks` must all be answered by the next call of `tools`. */
  assistant(blocks: readonly ModelBlock[]): void {
    this.#record('assistant', spokenText(blocks));
    // A message without content is refused; there is nothing to send back.
    if (blocks.length > 0)
      this.#endTurn({ role: 'assistant', blocks: blocks.map((block) => this.#redactBlock(block)) });
  }

  /** Inputs of `calls` are redacted already. */
  tools(answers: readonly ToolAnswer[], calls: readonly ToolCall[], note: string): void {
    this.#given = [...this.#given, { role: 'tools', answers, ...(note ? { note } : {}) }];
    answers.forEach((answer, i) => {
      const call = calls[i];
      if (call) this.#record('tool', answer.text, call);
    });
    this.#conversation.observe(answers.at(-1)?.text ?? '');
  }

  /**
   * For a model whose context window is full: everything but the first message becomes the summary, and the last observation follows it. Nothing happens
   * when that would not be smaller. Returns false when there is nothing but the first message.
   */
  condense(lastObservation: string | null): boolean {
    if (this.messages.length <= 1) return false;
    const before = sizeOf(this.messages);
    const saved = this.state;
    if (this.#given.length > 0) this.#conversation.recordTurn(this.pendingText, NO_ANSWER);
    const summarised = new ConversationState({ maxMessages: 1 });
    summarised.messages = this.#conversation.messages;
    this.#conversation.messages = summarised.messages;
    this.#summary = this.#summaryMessage();
    this.#turns = [];
    this.#given = lastObservation === null ? [] : [{ role: 'user', text: `The last result:\n${lastObservation}` }];
    if (sizeOf(this.messages) >= before) this.restore(saved);
    return true;
  }

  #endTurn(said: ModelMessage): void {
    const isFirst = this.#turns.length === 0 && this.#summary === undefined;
    const turn = { given: this.#given, said };
    this.#turns = [...this.#turns, turn];
    this.#given = [];
    const [asked, answered] = this.#turnInWords(turn, isFirst ? this.#pinned : undefined);
    this.#conversation.recordTurn(asked, answered);
    this.#followWindow();
  }

  /** The first turn of all answers the first message, too. */
  #turnInWords({ given, said }: Turn, pinned: ModelMessage | undefined): readonly [asked: string, answered: string] {
    const asked = pinned ? [pinned, ...given] : given;
    return [asked.map((message) => this.#inWords(message)).join('\n'), this.#inWords(said)];
  }

  /** What is sent word for word is what the conversation has word for word: one follows from the other. */
  #conversationOf({ pinned, turns, summary }: TranscriptState): readonly Message[] {
    const said = turns.flatMap((turn, i): Message[] => {
      const [asked, answered] = this.#turnInWords(
        turn,
        i === 0 && summary === null ? (pinned ?? undefined) : undefined,
      );
      return [
        { role: 'user', text: asked },
        { role: 'assistant', text: answered },
      ];
    });
    return summary === null ? said : [{ role: 'assistant', text: `${SUMMARY_PREFIX}\n${summary}` }, ...said];
  }

  /** The model is sent word for word what the conversation still has word for word. */
  #followWindow(): void {
    if (this.#summaryBody === undefined) return;
    const kept = (this.#conversation.messages.length - 1) / 2;
    if (kept >= this.#turns.length) return;
    const [first, ...others] = this.#turns.slice(-kept);
    this.#summary = this.#summaryMessage();
    // The calls that the oldest results answer are in the summary now: results without their calls are refused, plain text is not.
    this.#turns = first ? [{ ...first, given: first.given.map(toUserText) }, ...others] : [];
  }

  get #summaryBody(): string | undefined {
    const [first] = this.#conversation.messages;
    return first && summaryOf(first);
  }

  /** What stands in a summary was in part written by others: it is fenced again, and in the mouth of the model it is no less their text. */
  #summaryMessage(): ModelMessage | undefined {
    const body = this.#summaryBody;
    if (body === undefined) return undefined;
    const text = `Session summary:\n${fence('session summary', body, this.#nonce)}`;
    return { role: 'assistant', blocks: [{ kind: 'text', text }] };
  }

  /** A message as one text, without the fences: what a person would read. */
  #inWords(message: ModelMessage): string {
    const isFence = (line: string) => /^<\/?untrusted-/.test(line) && line.includes(this.#nonce);
    const lines = textOf(message).split('\n');
    return lines.filter((line) => !isFence(line)).join('\n');
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

function textOf(message: ModelMessage): string {
  if (message.role === 'user') return message.text;
  if (message.role === 'tools')
    return [...message.answers.map(({ text }) => text), message.note ?? ''].join('\n').trim();
  const calls = message.blocks.flatMap((block) =>
    block.kind === 'tool_use' ? [`calls ${block.name} ${JSON.stringify(block.input)}`] : [],
  );
  return [spokenText(message.blocks), ...calls].join('\n').trim();
}

function toUserText(message: ModelMessage): ModelMessage {
  return message.role === 'tools' ? { role: 'user', text: textOf(message) } : message;
}

function sizeOf(messages: readonly ModelMessage[]): number {
  return JSON.stringify(messages).length;
}
