import type { Evidence } from '../../domain/evidence.ts';
import { contradictsDirection } from './directions.ts';
import { claimedMeasures, figuresOf, isStated, isSupported, type Measure } from './numbers.ts';
import { isAboutOthers } from './subjects.ts';
import { claimedTimes, isSpanSupported, isTimeSupported } from './times.ts';

export interface Claim {
  readonly statement: string;
  /** The service that the sentence is about, when it is about one. */
  readonly service?: string;
  readonly evidence: readonly Evidence[];
  /** What everybody knows: the alert, whose figures may be repeated without citing it. */
  readonly background?: readonly Evidence[];
}

export interface Contradiction {
  readonly kind: 'number' | 'time' | 'direction' | 'subject';
  /** For the writer of the sentence: what is wrong, without a word of what it says. */
  readonly rule: string;
  /** For the reader of the report: what the evidence shows instead of which part of the sentence. Holds parts of the sentence. */
  readonly reason: string;
}

/** What of a sentence the evidence that it cites contradicts. Pure. `triggerMs` undefined: times are not checked. */
export function checkClaim(claim: Claim, triggerMs: number | undefined): readonly Contradiction[] {
  const { statement, service, evidence, background = [] } = claim;
  if (evidence.length === 0) return [];
  const ids = evidence.map(({ id }) => id).join(', ');
  const found: Contradiction[] = [];
  const numbers = wrongNumbers(statement, evidence, background, triggerMs);
  if (numbers.length > 0) {
    const reason = `the evidence cited for ${`${numbers.join(', ')} (${ids})`.slice(0, 150)} shows other figures`;
    found.push({ kind: 'number', rule: 'states a number that none of its evidence shows', reason });
  }
  if (triggerMs !== undefined && hasWrongTime(statement, evidence, triggerMs)) {
    const reason = `nothing in ${ids} happens at a time that is stated`;
    found.push({ kind: 'time', rule: 'states a time at which none of its evidence shows anything', reason });
  }
  if (contradictsDirection(statement, evidence)) {
    const reason = `${ids} moved in the other direction than is stated`;
    found.push({ kind: 'direction', rule: 'says rose of what fell, or fell of what rose', reason });
  }
  if (service !== undefined && isAboutOthers(statement, service, evidence)) {
    const reason = `${ids} cited for ${service} is about others`;
    found.push({ kind: 'subject', rule: 'cites only evidence about other services than the one it names', reason });
  }
  return found;
}

/** A number contradicts only when the cited evidence has numbers and none of them, nor the time between two of its moments, explains it. */
function wrongNumbers(
  statement: string,
  evidence: readonly Evidence[],
  background: readonly Evidence[],
  triggerMs: number | undefined,
): readonly number[] {
  if (!evidence.some((item) => figuresOf(item).length > 0)) return [];
  const tellsSpan = ({ value, isSpan }: Measure) =>
    isSpan && triggerMs !== undefined && [1, 1000].some((ms) => isSpanSupported(value * ms, evidence, triggerMs));
  return claimedMeasures(statement)
    .filter((measure) => !isSupported(measure, evidence) && !isStated(measure, background) && !tellsSpan(measure))
    .map(({ value }) => value);
}

function hasWrongTime(statement: string, evidence: readonly Evidence[], triggerMs: number): boolean {
  return claimedTimes(statement, triggerMs).some((timeMs) => !isTimeSupported(timeMs, evidence, triggerMs));
}
