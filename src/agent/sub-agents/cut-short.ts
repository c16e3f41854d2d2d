import type { Evidence } from '../../domain/evidence.ts';
import type { Finding } from '../../domain/finding.ts';
import type { Gap } from '../../domain/telemetry.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';

const MOST_IDS = 20;
const MOST_NAMED = 5;
const MOST_GAPS = 5;

/** What a sub-agent has when it could not hand in a finding itself: what it found, without a verdict (SPEC B15). `reason` is a clause. */
export function cutShort(reason: string, found: readonly Evidence[], gaps: readonly Gap[]): Finding {
  const named = found.slice(0, MOST_NAMED).map(({ id, statement }) => `[${id}] ${clip(oneLine(statement), 180)}`);
  const rest = found.length - named.length;
  const what =
    found.length === 0
      ? 'Nothing was found by then.'
      : `Found by then: ${named.join('; ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
  return {
    conclusion: `ended early: ${clip(oneLine(reason), 300)}. ${what}`,
    evidence: found.slice(0, MOST_IDS).map(({ id }) => id),
    verdicts: [],
    gaps: gaps.slice(0, MOST_GAPS).map(({ source, message }) => clip(oneLine(`${source}: ${message}`), 300)),
  };
}
