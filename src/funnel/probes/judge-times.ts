import { isoMinute } from '../../domain/iso-minute.ts';
import { durationMs, type ProbeOf } from '../../domain/probe.ts';
import { duration } from '../../domain/relative-time.ts';
import type { KubernetesObject, MetricSeries } from '../../domain/telemetry.ts';
import { wildcard } from '../../policy/wildcard.ts';
import { kindOf, namespaceOf } from '../events/identity.ts';
import { textAt, timeAt } from '../events/json-path.ts';
import { workloadOf } from './judge-objects.ts';
import type { Sighting } from './finding.ts';
import { subjectOf, type Subject } from './series-subject.ts';
import { namesOfJob } from './states/jobs.ts';
import { conditionOf } from './states/state-rule.ts';
import type { Judged } from './verdict.ts';

/** A moment that something has: when a certificate expires, when a backup succeeded. `atMs` undefined: never. */
export interface Moment extends Subject {
  readonly atMs: number | undefined;
  readonly evidence: Sighting['evidence'];
}

const DAY_MS = 86_400_000;

/** The moments that stand in a metric as epoch seconds, one a series, at its last sample that is a number. 0 is how exporters say never. */
export function momentsOf(all: readonly MetricSeries[], by: readonly string[] | undefined): readonly Moment[] {
  return all.flatMap((series): Moment[] => {
    const place = series.values.findLastIndex(Number.isFinite);
    const value = series.values[place];
    if (value === undefined) return [];
    const { query, link } = series;
    const asked = { ...(query === undefined ? {} : { query }), ...(link === undefined ? {} : { link }) };
    const atMs = value > 0 ? value * 1000 : undefined;
    return [{ ...subjectOf(series, by), atMs, evidence: { kind: 'metric', atMs: series.timesMs[place], ...asked } }];
  });
}

/** When the jobs of these names last succeeded, one moment a schedule or job; of a schedule that tells, by its own word. */
export function successesOf(objects: readonly KubernetesObject[], name: string): readonly Moment[] {
  const matches = wildcard(name);
  const newest = new Map<string, Moment>();
  for (const object of objects.filter((one) => namesOfJob(one).some(matches))) {
    const place = `${namespaceOf(object)}/${workloadOf(object)}`.replace(/^\//, '');
    const atMs = successMs(object);
    const known = newest.get(place);
    if (known && (known.atMs ?? -1) >= (atMs ?? -1)) continue;
    newest.set(place, { service: workloadOf(object), object: place, atMs, evidence: { kind: 'state', atMs } });
  }
  return [...newest.values()];
}

function successMs(object: KubernetesObject): number | undefined {
  if (kindOf(object) === 'CronJob') return timeAt(object, 'status', 'lastSuccessfulTime');
  if (textAt(conditionOf(object, 'Failed'), 'status') === 'True') return undefined;
  return timeAt(object, 'status', 'completionTime');
}

/** Which certificates expire too soon, or have. */
export function judgeExpiry({ within }: ProbeOf<'certificate'>, moments: readonly Moment[], nowMs: number): Judged {
  const limit = `at least ${within} expected`;
  const known = moments.flatMap((moment) =>
    moment.atMs === undefined ? [] : [{ moment, leftMs: moment.atMs - nowMs }],
  );
  const seen = known
    .filter(({ leftMs }) => leftMs < durationMs(within))
    .map(({ moment, leftMs }): Sighting => {
      const value = leftMs < 0 ? `expired ${duration(-leftMs)} ago` : `${duration(leftMs)} left`;
      const day = isoMinute(nowMs + leftMs);
      const what =
        leftMs < 0
          ? `has a certificate that expired ${duration(-leftMs)} ago (${day})`
          : `has a certificate that expires in ${duration(leftMs)} (${day})`;
      const { service, object, evidence } = moment;
      const weight = leftMs < 0 ? 3 - leftMs / DAY_MS : 1 + 1 / (1 + leftMs / DAY_MS);
      return { service, object, value, limit, what, weight, type: 'certificate', evidence };
    });
  const nearest = known.toSorted((a, b) => a.leftMs - b.leftMs)[0];
  return {
    lookedAt: known.length,
    seen,
    nearest: nearest && `${nearest.moment.object} ${duration(nearest.leftMs)} left`,
  };
}

/** Which moments lie too long ago, or never were. */
export function judgeFreshness({ older }: ProbeOf<'freshness'>, moments: readonly Moment[], nowMs: number): Judged {
  const limit = `at most ${older} old`;
  const aged = moments.map((moment) => ({ moment, ageMs: nowMs - (moment.atMs ?? -Infinity) }));
  const seen = aged
    .filter(({ ageMs }) => ageMs > durationMs(older))
    .map(({ moment, ageMs }): Sighting => {
      const isKnown = Number.isFinite(ageMs);
      const value = isKnown ? `${duration(ageMs)} old` : 'never succeeded';
      const what = isKnown ? `last succeeded ${duration(ageMs)} ago, ${limit}` : `has never succeeded, ${limit}`;
      const { service, object, evidence } = moment;
      const weight = isKnown ? ageMs / durationMs(older) : 100;
      return { service, object, value, limit, what, weight, evidence };
    });
  const oldest = aged.toSorted((a, b) => b.ageMs - a.ageMs)[0];
  return { lookedAt: aged.length, seen, nearest: oldest && `${oldest.moment.object} ${duration(oldest.ageMs)} old` };
}
