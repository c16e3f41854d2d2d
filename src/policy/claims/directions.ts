import type { Evidence } from '../../domain/evidence.ts';

type Direction = 'up' | 'down';

const UP =
  /\b(?:rose|rises|rising|risen|increased|increases|climbed|climbs|grew|grows|grown|jumped|went up|spiked|soared|surged)\b/i;
const DOWN =
  /\b(?:fell|falls|falling|fallen|dropped|drops|decreased|decreases|declined|shrank|went down|sank|plunged)\b/i;
/** What says that it did not happen, or that more than one thing happened. */
const HEDGED =
  /\b(?:not|never|no longer|without|neither|nor|recovered|back|then|until|before|while|whereas|but|although|again)\b/i;

const NUMBER = String.raw`([+-]?\d+(?:,\d{3})*(?:\.\d+)?)`;
const UNIT = String.raw`\s?([^\s\d→]{0,12})`;
const FROM_TO = new RegExp(`\\bfrom ${NUMBER}${UNIT} (?:to|→) ${NUMBER}${UNIT}`, 'i');
/** How the funnel tells a change (`0.331 s → 2.09 s`), and the trend that a query's summary tells. */
const CHANGE = new RegExp(`: ${NUMBER}${UNIT} → ${NUMBER}${UNIT}`);
const TREND = new RegExp(`: \\d+ points over [^;]*; first ${NUMBER}, latest ${NUMBER}`);

/**
 * True when a sentence says "rose" of what fell, or the other way round: by its own figures (`rose from 50 to 4`), or by the evidence when it names
 * a metric in full and all evidence of that metric moved the other way. A sentence with two directions or a reservation is left alone.
 */
export function contradictsDirection(statement: string, evidence: readonly Evidence[]): boolean {
  const said = directionSaid(statement);
  if (said === undefined) return false;
  const own = fromTo(FROM_TO.exec(statement), 1, 3, [2, 4]);
  if (own !== undefined && own !== said) return true;
  const moved = evidence.filter((item) => namesMetricOf(statement, item)).map(directionOf);
  return moved.length > 0 && moved.every((direction) => direction !== undefined && direction !== said);
}

function directionSaid(statement: string): Direction | undefined {
  if (HEDGED.test(statement)) return undefined;
  const [up, down] = [UP.test(statement), DOWN.test(statement)];
  if (up === down) return undefined;
  return up ? 'up' : 'down';
}

/** Metrics are named `service metric: …`; a name of one plain word says too little about which metric is meant. */
function namesMetricOf(statement: string, { kind, statement: fact }: Evidence): boolean {
  if (kind !== 'metric') return false;
  const name =
    fact
      .split(/: | \(| \{/)[0]
      ?.split(' ')
      .at(-1) ?? '';
  return /[a-z]_[a-z]/i.test(name) && new RegExp(`(?<![\\w])${escaped(name)}(?![\\w])`).test(statement);
}

function directionOf({ statement }: Evidence): Direction | undefined {
  return fromTo(CHANGE.exec(statement), 1, 3, [2, 4]) ?? fromTo(TREND.exec(statement), 1, 2);
}

/** Undefined when there are no two figures, when they are equal, or when their units differ. Zero needs no unit. */
function fromTo(
  match: RegExpExecArray | null,
  from: number,
  to: number,
  units?: readonly [number, number],
): Direction | undefined {
  if (!match) return undefined;
  const [a, b] = [match[from], match[to]].map((digits) => Number(digits?.replaceAll(',', '')));
  if (a === undefined || b === undefined || a === b || Number.isNaN(a) || Number.isNaN(b)) return undefined;
  if (units && a !== 0 && b !== 0 && !sameUnit(match[units[0]], match[units[1]])) return undefined;
  return b > a ? 'up' : 'down';
}

/** `3.76 → 5.29 millicores`: a unit may be said once, after the second figure. */
function sameUnit(first = '', second = ''): boolean {
  const bare = (unit: string) => unit.replace(/[^\p{L}%/]/gu, '');
  return bare(first) === '' || bare(first) === bare(second);
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, String.raw`\$&`);
}
