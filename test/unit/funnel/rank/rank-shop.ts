import type { Ranking } from '../../../../src/domain/brief.ts';
import { EvidenceBook } from '../../../../src/domain/evidence.ts';
import type { RootCauseType } from '../../../../src/domain/root-cause-type.ts';
import type { Telemetry } from '../../../../src/domain/telemetry.ts';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import type { StateFinding } from '../../../../src/funnel/layers.ts';
import { templateLogs } from '../../../../src/funnel/logs/templated-logs.ts';
import { rankContext, type RankContext } from '../../../../src/funnel/rank/clue.ts';
import { rankSuspects } from '../../../../src/funnel/rank/rank-suspects.ts';
import { incident, series, step, telemetry, TRIGGER_MS } from '../incident-model/shop.ts';

export interface Ranked {
  readonly ranking: Ranking;
  readonly book: EvidenceBook;
  readonly first: Ranking['suspects'][number];
  /** Types of the reasons that speak against a service, heaviest first. */
  readonly typesOf: (service: string) => string[];
}

/** What the clue modules read, of a shop without logs. */
export function contextOf(over: Partial<Telemetry>, states: readonly StateFinding[] = []): RankContext {
  return rankContext(modelIncident(incident(), telemetry(over)), { templated: templateLogs([], []), states });
}

export function rank(over: Partial<Telemetry>, states: readonly StateFinding[] = [], alert = incident()): Ranked {
  const given = telemetry(over);
  const book = new EvidenceBook();
  const templated = templateLogs(given.logs, given.reference.logs);
  const ranking = rankSuspects(modelIncident(alert, given), { templated, states }, book);
  const [first] = ranking.suspects;
  if (!first) throw new Error('nobody was ranked');
  const typesOf = (service: string) =>
    ranking.suspects.find((suspect) => suspect.service === service)?.reasons.map(({ type }) => type) ?? [];
  return { ranking, book, first, typesOf };
}

export function finding(
  service: string,
  severity: number,
  rootCauseType: RootCauseType,
  kind: 'state' | 'event' | 'change' = 'state',
): StateFinding {
  const statement = `${service} is in a state`;
  return {
    key: `${kind}:Pod/${service}/${rootCauseType}`,
    evidence: { kind, service, statement, atMs: TRIGGER_MS },
    weight: severity,
    service,
    severity,
    rootCauseType,
  };
}

export const latencies = (levels: Record<string, [number, number]>) =>
  Object.entries(levels).flatMap(([service, [usual, now]]) => [
    series(service, 'latency_average', step(usual, now)),
    series(service, 'requests', step(100, 100)),
  ]);
