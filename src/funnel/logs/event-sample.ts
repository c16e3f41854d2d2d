import { clip, graphemeBorder, oneLine } from '../../policy/untrusted.ts';
import { foldEvent } from './event-folding.ts';

/** Longest sample, in UTF-16 units. */
const MAX_SAMPLE = 240;
/** Of an event in several parts, what a frame or a cause may take: the first line has the rest. */
const MAX_PART = 100;
const BETWEEN = ' ⏎ ';
/** Enough to be cleaned for a sample, even where much is invisible; a line of megabytes is not cleaned for it. */
const MAX_CLEANED = 4 * MAX_SAMPLE;
/** How much of a line too long to be shown is its front: the reason often stands at its end. */
const FRONT = 0.6;

/** An event as one well-formed line of at most 240 characters: its first line, first own frame and last cause (SPEC C6), each of them cut if need be. */
export function sampleOf(event: string): string {
  const [first = '', ...others] = foldEvent(event).split('\n');
  const parts = others.map((part) => clip(oneLine(part.slice(0, MAX_CLEANED)), MAX_PART));
  const room = MAX_SAMPLE - parts.reduce((sum, part) => sum + part.length + BETWEEN.length, 0);
  return [clipMiddle(first, room), ...parts].join(BETWEEN);
}

/** One line of at most `room` characters: where it is cut, front and end stay. */
export function clipMiddle(text: string, room: number): string {
  const isHuge = text.length > 2 * MAX_CLEANED;
  const line = oneLine(isHuge ? `${text.slice(0, MAX_CLEANED)} … ${text.slice(-MAX_CLEANED)}` : text);
  if (line.length <= room) return clip(line, room);
  const front = Math.floor(room * FRONT);
  const end = line.slice(graphemeBorder(line, line.length - (room - front - 3)));
  // A border lies before its index: what it adds is taken from the front.
  return `${clip(line, Math.max(1, room - 2 - end.length))} ${clip(end, end.length)}`;
}
