import type { Evidence } from '../../domain/evidence.ts';

type Direction = 'up' | 'down';

const UP = String.raw`rose|rises|rising|risen|increased|increases|climbed|climbs|grew|grows|grown|jumped|went up|spiked|soared|surged`;
const DOWN = String.raw`fell|falls|falling|fallen|dropped|drops|decreased|decreases|declined|shrank|went down|sank|plunged`;
/** What somebody does to a value. */
const RAISE = 'raised|lifted|doubled|tripled';
const LOWER = 'reduced|lowered|cut|halved';
/** What says that it did not happen, that it is to happen, or that more than one thing happened. */
const HEDGED =
  /\b(?:not|never|no longer|without|neither|nor|recovered|back|revert\w*|restor\w*|should|would|then|until|before|while|whereas|but|although|again)\b/i;

const NUMBER = String.raw`([+-]?\d+(?:,\d{3})*(?:\.\d+)?)`;
const UNIT = String.raw`\s?([^\s\d→]{0,12})`;
const FROM_TO = String.raw`from ${NUMBER}${UNIT} (?:to|→) ${NUMBER}${UNIT}`;
/** How the funnel tells a change (`0.331 s → 2.09 s`), and the trend and the change that a query's summary tells. */
const CHANGE = new RegExp(`: ${NUMBER}${UNIT} → ${NUMBER}${UNIT}`);
const TREND = new RegExp(`\\d+ points over [^;]*; first ${NUMBER}, latest ${NUMBER}`);
const USUAL = new RegExp(`: usual ${NUMBER}, then farthest from it ${NUMBER}`);
const TOLD_CHANGE = new RegExp(FROM_TO, 'i');

/** Between a verb and its figures: `rose sharply from 2 to 16`, `was increased, from …`. Another verb's figures stand farther off. */
const ADVERBS = String.raw`(?:,? (?:\w+ly|(?:by|of|in) [^\s,.;]+(?: %)?))*,? `;
const OWN_UP = new RegExp(`\\b(?:${UP}|${RAISE})${ADVERBS}${FROM_TO}`, 'i');
const OWN_DOWN = new RegExp(`\\b(?:${DOWN}|${LOWER})${ADVERBS}${FROM_TO}`, 'i');
/** Between the name of what is measured and its verb: `queue_depth of cart has sharply risen`. No new clause begins there. */
const TO_VERB = String.raw`\)?(?: (?!(?:and|or|as|so|since|once|when|after|because|which|that|for)\b)[\w./-]+){0,4}? `;

/**
 * True when a sentence says "rose" of what fell, or the other way round: by its own figures (`rose from 50 to 4`), by figures that the evidence tells in
 * the other order, or when it names a metric in full and all evidence of that metric moved the other way. A sentence with a reservation is left alone.
 */
export function contradictsDirection(statement: string, evidence: readonly Evidence[]): boolean {
  if (HEDGED.test(statement)) return false;
  if (directionOfPair(pairOf(OWN_UP.exec(statement))) === 'down') return true;
  if (directionOfPair(pairOf(OWN_DOWN.exec(statement))) === 'up') return true;
  if (isToldReversed(statement, evidence)) return true;
  const moved = evidence.map((item) => ({ said: directionSaidOf(statement, item), is: directionOf(item) }));
  const said = moved.filter((one) => one.said !== undefined);
  return said.length > 0 && said.every((one) => one.is !== undefined && one.is !== one.said);
}

/** `went from 2 to 16` of what the evidence saw go from 16 to 2. */
function isToldReversed(statement: string, evidence: readonly Evidence[]): boolean {
  const told = pairOf(TOLD_CHANGE.exec(statement));
  if (!told || told.from === told.to) return false;
  const seen = evidence.flatMap(
    ({ statement: fact }) => pairOf(CHANGE.exec(fact)) ?? pairOf(TOLD_CHANGE.exec(fact)) ?? [],
  );
  return (
    seen.some(({ from, to }) => isNear(from, told.to) && isNear(to, told.from)) &&
    !seen.some(({ from, to }) => isNear(from, told.from) && isNear(to, told.to))
  );
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= 0.03 * Math.max(Math.abs(a), Math.abs(b));
}

/** Metrics are named `service metric: …`; a name of one plain word says too little about which metric is meant. */
function directionSaidOf(statement: string, { kind, statement: fact }: Evidence): Direction | undefined {
  if (kind !== 'metric') return undefined;
  const whole = fact.split(/: | \{| \((?=[^)]*\) ?[:{])/)[0] ?? '';
  const name =
    whole
      .split(' ')
      .at(-1)
      ?.replace(/\([^)]*\)?$/, '') ?? '';
  const names = [whole, ...(/[a-z]_[a-z]|[a-z][A-Z]/i.test(name) ? [name] : [])].filter((one) =>
    /[ _]|[a-z][A-Z]/.test(one),
  );
  const says = (verbs: string) =>
    names.some((one) =>
      new RegExp(`(?<!\\w)${escaped(one)}(?:\\([^)]*\\))?${TO_VERB}(?:${verbs})\\b`, 'i').test(statement),
    );
  const [up, down] = [says(UP), says(DOWN)];
  if (up === down) return undefined;
  return up ? 'up' : 'down';
}

/** Of a summary that tells of a rise and of a fall: none. */
function directionOf({ statement }: Evidence): Direction | undefined {
  const change = pairOf(CHANGE.exec(statement));
  if (change) return directionOfPair(change);
  const [trend, usual] = [TREND, USUAL].map((told) => directionOfPair(figuresIn(told.exec(statement))));
  return usual === undefined || usual === trend ? trend : undefined;
}

interface Pair {
  readonly from: number;
  readonly to: number;
}

/** Undefined when there are no two figures, or when their units differ. Zero needs no unit. */
function pairOf(match: RegExpExecArray | null): Pair | undefined {
  const [, first, firstUnit, second, secondUnit] = match ?? [];
  const pair = { from: toNumber(first), to: toNumber(second) };
  if (Number.isNaN(pair.from) || Number.isNaN(pair.to)) return undefined;
  return pair.from !== 0 && pair.to !== 0 && !sameUnit(firstUnit, secondUnit) ? undefined : pair;
}

function figuresIn(match: RegExpExecArray | null): Pair | undefined {
  const [, from, to] = match ?? [];
  return from === undefined ? undefined : { from: toNumber(from), to: toNumber(to) };
}

function directionOfPair(pair: Pair | undefined): Direction | undefined {
  if (!pair || pair.from === pair.to) return undefined;
  return pair.to > pair.from ? 'up' : 'down';
}

function toNumber(digits = ''): number {
  return digits === '' ? Number.NaN : Number(digits.replaceAll(',', ''));
}

/** `3.76 → 5.29 millicores`: a unit may be said once, after the second figure. */
function sameUnit(first = '', second = ''): boolean {
  const bare = (unit: string) => unit.replace(/[^\p{L}%/]/gu, '');
  return bare(first) === '' || bare(first) === bare(second);
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, String.raw`\$&`);
}
