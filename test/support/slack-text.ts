import type { SlackMessage } from './slack-api.ts';

type Shown = Pick<SlackMessage, 'text' | 'blocks'>;

/** What a piece of markup does to its readers, seen by Slack's own rules: https://docs.slack.dev/messaging/formatting-message-text. */
export interface Effects {
  /** Everyone who is notified: `@channel`, `@U0123`. */
  readonly pings: readonly string[];
  readonly links: readonly { readonly label: string; readonly address: string }[];
  /** `:name:` where an emoji appears. */
  readonly emoji: readonly string[];
}

/** A message as a person reads it: no markup, entities undone, links as `label ↗`, fields in two columns. */
export function seenText(message: Shown): string {
  if (message.blocks.length === 0) return read(message.text);
  return message.blocks
    .map((block) => {
      if (block.type === 'header') return `## ${unescape(block.text?.text ?? '')}`;
      if (block.fields) return columns(block.fields.map((field) => read(field.text)));
      return [...(block.text ? [block.text] : []), ...(block.elements ?? [])].map((part) => read(part.text)).join('  ');
    })
    .join('\n');
}

/** Lines that a message takes in a window of so many characters: what has to fit on the first screen. */
export function seenLines(message: Shown, width = 110): number {
  return seenText(message)
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
}

export function effectsOf(message: Shown): Effects {
  const texts =
    message.blocks.length === 0
      ? [message.text]
      : message.blocks.flatMap((block) => {
          const parts = [...(block.text ? [block.text] : []), ...(block.fields ?? []), ...(block.elements ?? [])];
          return parts.filter((part) => part.type === 'mrkdwn').map((part) => part.text);
        });
  const all = [...texts, message.text];
  const tokens = all.flatMap((text) => [...text.matchAll(/<([^<>]*)>/g)].map(([, inside = '']) => inside));
  const outsideCode = texts.map((text) => text.replace(/`[^`\n]*`/g, '').replace(/<[^<>]*>/g, ''));
  return {
    pings: tokens.filter((token) => /^[!@#]/.test(token)).map((token) => token.replace(/^!/, '@')),
    links: tokens
      .filter((token) => !/^[!@#]/.test(token))
      .map((token) => {
        const [address = '', label = ''] = token.split('|');
        return { label: unescape(label), address: unescape(address) };
      }),
    emoji: outsideCode.flatMap((text) =>
      [...text.matchAll(/(?<![\p{L}\p{N}]):[a-z0-9_+'-]+:/gu)].map(([name]) => name),
    ),
  };
}

/** Emphasis that Slack would show, outside code: the marks come from us or from data. */
export function emphasisOf(text: string): readonly string[] {
  const plain = text.replace(/`[^`\n]*`/g, '');
  return [...plain.matchAll(/(?<![\p{L}\p{N}])([*_~])(?=\S)[^\n]*?(?<=\S)\1(?![\p{L}\p{N}])/gu)].map(
    ([found]) => found,
  );
}

function read(mrkdwn: string): string {
  const parts = mrkdwn.split(/(`[^`\n]*`)/);
  return parts.map((part) => (part.startsWith('`') ? unescape(part) : unescape(linked(part)))).join('');
}

function linked(text: string): string {
  return text
    .replace(/<([^<>|]*)\|([^<>]*)>/g, '[$2 ↗]')
    .replace(/<([^<>]*)>/g, '[$1 ↗]')
    .replace(/(?<![\p{L}\p{N}])([*_~])(?=\S)([^\n]*?)(?<=\S)\1(?![\p{L}\p{N}])/gu, '$2');
}

function unescape(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

const COLUMN = 52;

/** Two beside each other, each on as many lines as its column takes. */
function columns(fields: readonly string[]): string {
  const rows: string[] = [];
  for (let index = 0; index < fields.length; index += 2) {
    const [left, right] = [inColumn(fields[index] ?? ''), inColumn(fields[index + 1] ?? '')];
    for (let line = 0; line < Math.max(left.length, right.length); line++) {
      rows.push(`${(left[line] ?? '').padEnd(COLUMN)} ${right[line] ?? ''}`.trimEnd());
    }
  }
  return rows.join('\n');
}

function inColumn(text: string): readonly string[] {
  return text.match(new RegExp(`.{1,${COLUMN}}(?:\\s|$)|.{${COLUMN}}`, 'gsu'))?.map((line) => line.trimEnd()) ?? [];
}
