import type { Block, TextObject } from './slack-api.ts';

/** The error with which Slack refuses a message; undefined when it takes it. Documented limits, and those that users report. */
export function findFlaw(input: Record<string, unknown>): string | undefined {
  const text = input['text'];
  if (typeof text !== 'string' || text === '') return 'no_text';
  if (text.length > 40_000) return 'msg_too_long';
  // Half an emoji: JSON.stringify writes a lone surrogate as an escape.
  if (/\\ud[89a-f]/i.test(JSON.stringify(input))) return 'invalid_json';
  const blocks = (input['blocks'] ?? []) as Block[];
  if (!Array.isArray(blocks) || blocks.length > 50) return 'invalid_blocks';
  const ids = blocks.flatMap((block) => block.block_id ?? []);
  if (new Set(ids).size !== ids.length || ids.some((id) => id.length > 255)) return 'invalid_blocks';
  if (!blocks.every(isValidBlock)) return 'invalid_blocks';
  const total = blocks.flatMap(textsOf).reduce((sum, part) => sum + part.text.length, 0);
  return total > 13_200 ? 'msg_blocks_too_long' : undefined;
}

export function textsOf(block: Block): readonly TextObject[] {
  return [...(block.text ? [block.text] : []), ...(block.fields ?? []), ...(block.elements ?? [])];
}

function isValidBlock(block: Block): boolean {
  const { text, fields, elements } = block;
  if (block.type === 'header') return isWithin(text, 150, ['plain_text']);
  if (block.type === 'context') return isList(elements, 10) && elements.every((part) => isWithin(part, 3000));
  if (block.type !== 'section' || (text === undefined && fields === undefined)) return false;
  const isTextFine = text === undefined || isWithin(text, 3000);
  return isTextFine && (fields === undefined || (isList(fields, 10) && fields.every((field) => isWithin(field, 2000))));
}

function isWithin(object: TextObject | undefined, max: number, types = ['mrkdwn', 'plain_text']): boolean {
  return (
    object !== undefined &&
    typeof object.text === 'string' &&
    object.text.length >= 1 &&
    object.text.length <= max &&
    types.includes(object.type)
  );
}

function isList<T>(list: readonly T[] | undefined, max: number): list is readonly T[] {
  return list !== undefined && list.length >= 1 && list.length <= max;
}
