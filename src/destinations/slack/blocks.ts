/** The few block shapes used here, as Slack's Block Kit defines them. */
interface PlainText {
  readonly type: 'plain_text';
  readonly text: string;
  /** False: `:names:` in alert data stay text. */
  readonly emoji: false;
}
interface Mrkdwn {
  readonly type: 'mrkdwn';
  readonly text: string;
  /** True: Slack makes no links, channels or mentions out of plain text. */
  readonly verbatim: true;
}
type Content =
  | { readonly type: 'header'; readonly text: PlainText }
  | { readonly type: 'section'; readonly text: Mrkdwn }
  | { readonly type: 'section'; readonly fields: readonly Mrkdwn[] }
  | { readonly type: 'context'; readonly elements: readonly Mrkdwn[] };
export type Block = Content & { readonly block_id?: string };

export interface Message {
  /** Shown in notifications, and instead of the blocks where there are none. Never empty. */
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** Below the documented limits (3,000, 150, 50, about 13,200, 10), which are partly counted in ways that are not documented. */
export const MAX_SECTION = 2990;
export const MAX_HEADER = 150;
export const MAX_BLOCKS = 45;
export const MAX_MESSAGE = 12_000;
export const MAX_FIELDS = 10;

export const mrkdwn = (text: string): Mrkdwn => ({ type: 'mrkdwn', text, verbatim: true });
export const header = (text: string): Block => ({ type: 'header', text: { type: 'plain_text', text, emoji: false } });
export const section = (text: string): Block => ({ type: 'section', text: mrkdwn(text) });
export const fields = (texts: readonly string[]): Block => ({ type: 'section', fields: texts.map(mrkdwn) });
export const context = (text: string): Block => ({ type: 'context', elements: [mrkdwn(text)] });

/** Characters of all texts of a block: what Slack adds up for `msg_blocks_too_long`. */
export function blockLength(block: Block): number {
  if ('elements' in block) return sum(block.elements.map((element) => element.text.length));
  if ('fields' in block) return sum(block.fields.map((field) => field.text.length));
  return block.text.text.length;
}

export function messageLength(blocks: readonly Block[]): number {
  return sum(blocks.map(blockLength));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
