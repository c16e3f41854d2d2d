import { withoutColours } from './colours.ts';

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });
const ELLIPSIS = '…';
/** One grapheme may be arbitrarily long (stacked accents): look no further than this behind the limit. */
const LOOK_AHEAD = 64;

/** The text as one well-formed line of at most `maxLength` UTF-16 units, cut between graphemes and marked `…` when cut. */
export function clip(text: string, maxLength: number): string {
  // With the u flag, Cs matches lone surrogates only: halves of pairs that somebody cut before.
  const head = withoutColours(text.slice(0, maxLength * 4 + LOOK_AHEAD))
    .replace(/\p{Cs}/gu, '\ufffd')
    .replace(/\s+/g, ' ')
    .trim();
  if (head.length <= maxLength) return head;
  let kept = '';
  for (const { segment } of SEGMENTER.segment(head.slice(0, maxLength + LOOK_AHEAD))) {
    if (kept.length + segment.length > maxLength - ELLIPSIS.length) break;
    kept += segment;
  }
  return `${kept.trimEnd()}${ELLIPSIS}`.replace(/\p{Cs}/gu, '\ufffd');
}
