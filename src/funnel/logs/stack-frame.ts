import { WILDCARD } from './character-class.ts';

/**
 * One pattern for each way a runtime prints a stack: Java, .NET, JavaScript (`at …`), `... 12 more`, Python (`File …`),
 * Go (`file.go:12 +0x1f`, `pkg.Func(0xc0…)`), Ruby (`from x.rb:3:in`). All anchored at the start, without nested repetition.
 */
const FRAMES: readonly (readonly [RegExp, string])[] = [
  [/^\s*at [^\s(]+[^(]{0,100}\(.*\)(?: ~?\[[^\]]*\])?\s*$/, `at ${WILDCARD}`],
  [/^\s+at \S.*$/, `at ${WILDCARD}`],
  [/^\s*\.\.\. \d+ (?:more|common frames omitted|lines)/, `... ${WILDCARD} more`],
  [/^\s*File "[^"]*", line \d+/, `File ${WILDCARD}, line ${WILDCARD}`],
  [/^\s+\S+\.(?:go|s):\d+(?: \+0x[0-9a-f]+)?\s*$/, `${WILDCARD} +${WILDCARD}`],
  [/^[\w/-]+\.[\w./*()-]{1,200}\((?:0x[0-9a-f]|\{0x|\.\.\.\))/, `${WILDCARD}(${WILDCARD})`],
  [/^\s*from \S+:\d+:in /, `from ${WILDCARD}`],
];

/** The skeleton of a stack frame; undefined when the line is none. */
export function frameSkeleton(line: string): string | undefined {
  if (!BEGINS_FRAME.has(line[0] ?? '') && !line.includes('(0x')) return undefined;
  return FRAMES.find(([pattern]) => pattern.test(line))?.[1];
}
/** First characters of the frames above but Go's functions, whose arguments give them away. Spares most lines the patterns. */
const BEGINS_FRAME = new Set(' \taFf.'.split(''));

/** True for the lines that continue a stack trace without being a frame: the next cause, a suppressed exception. */
export function isCause(line: string): boolean {
  return /^\s*(?:Caused by:|Suppressed:|\[CIRCULAR REFERENCE|The above exception was|During handling of the above)/.test(
    line,
  );
}
