import type { Redis } from 'ioredis';
import type { EarlierIncident } from '../agent/guidance.ts';
import type { Brief } from '../domain/brief.ts';
import type { Incident } from '../domain/incident.ts';
import type { Report } from '../domain/report.ts';
import { likenessOf, traitsOf, WEIGHTS, type Likeness } from './alike.ts';
import type { IncidentStore } from './incident-store.ts';
import { REPORT_TTL_SECONDS } from './keys.ts';
import type { Reported, ReportStore } from './report-store.ts';

const MAX_EARLIER = 3;
/** Reports kept under one trait, the newest. */
const KEPT_PER_TRAIT = 30;
/** Reports read for one answer: some are forgotten by now. */
const MAX_READ = 9;

/** Earlier reports by what they have in common with an incident. Hints with their outcome: never evidence. */
export interface IncidentMemory {
  /** Files a stored report under its alert, service and errors. Filing it again changes nothing. A check that found all well is not filed. */
  file(incident: Incident, report: Report): Promise<void>;
  /** At most three reports of incidents that began before this one, most alike first, then newest. */
  findEarlier(incident: Incident, brief: Brief): Promise<readonly EarlierIncident[]>;
}

export interface IncidentMemoryParts {
  readonly reports: Pick<ReportStore, 'getReported'>;
  readonly incidents: Pick<IncidentStore, 'getResolvedAtMs'>;
  /** As reports are redacted: else an error with a secret in it would not be found again. */
  readonly redact: (text: string) => string;
}

/** Ids in one small sorted set a trait, by the incident's start, so that no report is read that is not alike. The caller owns the connection. */
export function createIncidentMemory(redis: Redis, prefix: string, parts: IncidentMemoryParts): IncidentMemory {
  const keyOf = (trait: string) => `${prefix}:alike:${trait}`;
  return {
    file: async (incident, report) => {
      if (report.kind === 'check' && report.status === 'healthy') return;
      const transaction = redis.multi();
      for (const trait of traitsOf(incident, report.evidence)) {
        transaction.zadd(keyOf(trait), incident.startsAtMs, report.id);
        transaction.zremrangebyrank(keyOf(trait), 0, -KEPT_PER_TRAIT - 1);
        transaction.expire(keyOf(trait), REPORT_TTL_SECONDS);
      }
      for (const [error] of (await transaction.exec()) ?? []) if (error) throw error;
    },
    findEarlier: async (incident, brief) => {
      const stated = brief.evidence.map(({ kind, statement }) => ({ kind, statement: parts.redact(statement) }));
      const traits = traitsOf(incident, stated);
      const found = await Promise.all(
        traits.map((trait) =>
          redis.zrevrangebyscore(
            keyOf(trait),
            `(${incident.startsAtMs}`,
            '-inf',
            'WITHSCORES',
            'LIMIT',
            0,
            KEPT_PER_TRAIT,
          ),
        ),
      );
      const candidates = mostAlike(traits, found).slice(0, MAX_READ);
      const read = await Promise.all(candidates.map(({ id }) => parts.reports.getReported(id)));
      const alike = candidates.flatMap(({ alike }, i) => {
        const reported = read[i];
        return reported && reported.incident.id !== incident.id ? [{ alike, reported }] : [];
      });
      return Promise.all(
        alike
          .slice(0, MAX_EARLIER)
          .map(async ({ alike, reported }) =>
            tellEarlier(reported, alike, await parts.incidents.getResolvedAtMs(reported.incident.id)),
          ),
      );
    },
  };
}

interface Candidate {
  readonly id: string;
  readonly startsAtMs: number;
  readonly alike: readonly Likeness[];
}

/** `found` holds, for each trait, ids and start times in turn. */
function mostAlike(traits: readonly string[], found: readonly (readonly string[])[]): readonly Candidate[] {
  const byId = new Map<string, { startsAtMs: number; alike: Set<Likeness> }>();
  found.forEach((members, t) => {
    for (let i = 0; i + 1 < members.length; i += 2) {
      const [id = '', score = ''] = members.slice(i, i + 2);
      const known = byId.get(id) ?? { startsAtMs: Number(score), alike: new Set() };
      known.alike.add(likenessOf(traits[t] ?? ''));
      byId.set(id, known);
    }
  });
  const weight = ({ alike }: Candidate) => alike.reduce((sum, likeness) => sum + WEIGHTS[likeness], 0);
  return [...byId]
    .map(([id, { startsAtMs, alike }]) => ({ id, startsAtMs, alike: [...alike] }))
    .sort((a, b) => weight(b) - weight(a) || b.startsAtMs - a.startsAtMs || (a.id < b.id ? -1 : 1));
}

function tellEarlier(
  { report, incident }: Reported,
  alike: readonly Likeness[],
  resolvedAtMs: number | undefined,
): EarlierIncident {
  return {
    reportId: report.id,
    startsAtMs: incident.startsAtMs,
    title: report.incident.title,
    service: report.incident.service,
    alike,
    status: report.status,
    rootCauseService: report.root_cause_service,
    rootCauseType: report.root_cause_type,
    confidence: report.confidence,
    summary: report.summary,
    resolvedAfterMs: resolvedAtMs === undefined ? null : Math.max(0, resolvedAtMs - incident.startsAtMs),
  };
}
