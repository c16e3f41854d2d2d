import { compactMessages, ROLES, WINDOW_MESSAGES, type Message, type WindowOptions } from './compact-messages.ts';

/** What crosses from one turn to the next: what was said, and what the last tool showed. Nothing else, and no configuration. */
export class ConversationState {
  readonly #window: WindowOptions;
  #messages: readonly Message[] = [];
  #lastObservation: string | null = null;

  constructor(window: WindowOptions = { maxMessages: WINDOW_MESSAGES }) {
    this.#window = window;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Replaces everything that was said, within the window. */
  set messages(messages: readonly Message[]) {
    const copies = messages.map(({ role, text }) => {
      if (!ROLES.includes(role)) throw new TypeError(`no role of a conversation: ${role as string}`);
      return Object.freeze({ role, text });
    });
    this.#messages = Object.freeze([...compactMessages(copies, this.#window)]);
  }

  /** What the last tool call of the turn before showed; null at the start of every turn, once its snapshot has taken it. */
  get lastObservation(): string | null {
    return this.#lastObservation;
  }

  /** A turn: what was asked, then what was answered. */
  recordTurn(user: string, assistant: string): void {
    this.messages = [...this.#messages, { role: 'user', text: user }, { role: 'assistant', text: assistant }];
  }

  /** Blank text is no observation. */
  observe(text: string): void {
    this.#lastObservation = text.trim() === '' ? null : text;
  }

  resetObservation(): void {
    this.#lastObservation = null;
  }

  /** The only reset of everything. */
  clear(): void {
    this.#messages = [];
    this.#lastObservation = null;
  }
}
