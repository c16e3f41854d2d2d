import type { Brief, Suspect, SuspectReason } from '../../src/domain/brief.ts';
import { EvidenceBook, type Evidence, type EvidenceKind } from '../../src/domain/evidence.ts';
import type { Finding } from '../../src/domain/finding.ts';
import type { HypothesisTest } from '../../src/agent/hypotheses/weigh-hypotheses.ts';
import { TRIGGER_MS } from './agent-case.ts';

export interface InventedSuspect {
  readonly service: string;
  readonly score: number;
  readonly type?: Suspect['rootCauseType'];
  /** A change just before the onset. */
  readonly change?: string;
}

export interface InventedBrief extends Partial<Pick<Brief, 'kindsRead' | 'trouble'>> {
  readonly suspects: readonly InventedSuspect[];
  readonly confidence: number;
  readonly others?: readonly {
    readonly kind: EvidenceKind;
    readonly service: string;
    readonly statement: string;
    readonly minutesBefore?: number;
  }[];
}

/** A brief with one metric for each suspect, in order; ids `M1`, `M2`, …, changes `C1`, … */
export function inventBrief({ suspects, confidence, others = [], ...rest }: InventedBrief): Brief {
  const book = new EvidenceBook();
  const add = (kind: EvidenceKind, service: string, statement: string, minutesBefore = 1) =>
    book.add(statement, { kind, service, statement, atMs: TRIGGER_MS - minutesBefore * 60_000 });
  const ranked = suspects.map(({ service, score, type = 'connection_exhaustion', change }): Suspect => {
    const reason = (id: string, kind: string): SuspectReason => ({
      type: kind,
      score,
      statement: 'it changed',
      evidenceIds: [id],
    });
    const own = reason(add('metric', service, `${service} connections_in_use: 4 → 50 (+1150 %)`), 'limit');
    const trigger = change === undefined ? {} : { trigger: reason(add('change', service, change, 2), 'change') };
    return { service, score, rootCauseType: type, reasons: [own], mechanism: [own], ...trigger };
  });
  for (const { kind, service, statement, minutesBefore } of others) add(kind, service, statement, minutesBefore);
  return {
    text: '',
    tokens: 0,
    rawTokens: 1000,
    ranking: { suspects: ranked, confidence, confidenceReasons: [] },
    evidence: book.all(),
    gaps: [],
    ...rest,
  };
}

/** Evidence that a sub-agent found. */
export function found(
  id: string,
  service: string | undefined,
  statement = `${service ?? 'something'} was looked at`,
): Evidence {
  return { id, kind: id.startsWith('L') ? 'log' : 'metric', service, statement, atMs: TRIGGER_MS };
}

type Verdict = Finding['verdicts'][number]['verdict'];

/** One sub-agent's verdict on one hypothesis. */
export function testOf(
  hypothesis: string,
  verdict: Verdict,
  evidence: readonly string[],
  { stance = 'test', why = 'because' }: { readonly stance?: 'test' | 'refute'; readonly why?: string } = {},
): HypothesisTest {
  const verdicts = [{ hypothesis, verdict, why, evidence: [...evidence] }];
  return { hypothesis, stance, finding: { conclusion: 'looked', evidence: [...evidence], verdicts, gaps: [] } };
}
