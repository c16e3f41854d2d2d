/** One content block of a scripted answer. `rawInput` is sent as it is, for input that is no JSON or is cut off. */
export type ReplyBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | {
      readonly type: 'tool_use';
      readonly name: string;
      readonly id?: string;
      readonly input?: unknown;
      readonly rawInput?: string;
    };

/** What the server does with one request. All faults default to none. */
export interface Reply {
  readonly blocks?: readonly ReplyBlock[];
  /** Default: `tool_use` when there is a tool_use block, else `end_turn`. */
  readonly stopReason?: string;
  readonly stopDetails?: Readonly<Record<string, unknown>>;
  /** `null`: the usage is missing. */
  readonly usage?: Readonly<Record<string, number>> | null;

  /** An error answer with this status, as JSON of `errorType`, or `rawBody` as it is (HTML of a proxy). */
  readonly status?: number;
  readonly errorType?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly rawBody?: string;

  readonly delayBeforeHeadersMs?: number;
  readonly delayBetweenEventsMs?: number;
  /** After so many events: silence, with the connection open. */
  readonly stallAfterEvents?: number;
  /** After so many events: the connection is destroyed. */
  readonly cutAfterEvents?: number;
  /** After so many events: the stream ends as if it were complete. */
  readonly endAfterEvents?: number;
  readonly badLineAfterEvents?: number;
  readonly errorEventAfterEvents?: number;
}

export interface ReceivedBody {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream?: boolean;
  readonly system?: string | readonly { readonly text: string }[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly ReceivedBlock[] }[];
  readonly tools?: readonly { readonly name: string }[];
  readonly tool_choice?: { readonly type: string };
  readonly output_config?: { readonly format?: unknown };
}

export interface ReceivedBlock {
  readonly type: string;
  readonly text?: string;
  readonly content?: string;
  readonly is_error?: boolean;
  readonly [key: string]: unknown;
}

export type ScriptedReply = Reply | ((body: ReceivedBody) => Reply);

/** Replies in order; or one function for any number of requests, which may let them wait. */
export type Script = readonly ScriptedReply[] | ((body: ReceivedBody, index: number) => Reply | Promise<Reply>);

export function says(text: string): Reply {
  return { blocks: [{ type: 'text', text }] };
}

export function calls(...tools: readonly (readonly [name: string, input: unknown])[]): Reply {
  return { blocks: tools.map(([name, input]) => ({ type: 'tool_use', name, input })) };
}

export function fails(status: number, errorType: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, errorType, headers };
}

/** All text of the request that a model would read, joined: to find evidence ids in. */
export function textOf(body: ReceivedBody): string {
  return body.messages
    .flatMap(({ content }) =>
      typeof content === 'string' ? [content] : content.map((block) => block.text ?? block.content ?? ''),
    )
    .join('\n');
}
