import type { RootCauseType } from '../../domain/root-cause-type.ts';
import { changesOf, metricFact } from '../metrics/metric-evidence.ts';
import { largest, median, sum } from '../metrics/statistics.ts';
import type { Clue, RankContext } from './clue.ts';
import { measuresSymptom } from './symptom.ts';
import { profilesOf, type Facet, type Movement, type Profile } from './profile.ts';

/** A service is judged by this many facets: one odd metric is common, several at once are not. */
const FACETS = 3;
/** How much a facet says about its own service. Traffic is as much its callers' doing, disks are busy in bursts, a failed call may be the callee's. */
const SAYS: Partial<Record<Facet, number>> = {
  received: 0.6,
  sent: 0.6,
  requests: 0.6,
  reads: 0.6,
  writes: 0.6,
  other: 0.6,
  failures: 0.5,
};
/** More than this many times its noise tells no more: else one metric that is near zero usually would decide. */
const MOST_SURPRISE = 12;
/** What follows the work of a service, so that its callers or its own requests may explain it. */
const WORK: ReadonlySet<Facet> = new Set(['cpu', 'received', 'sent', 'reads', 'writes', 'requests', 'other']);
const INCOMING: readonly Facet[] = ['received', 'requests'];
/** More work comes from somebody: the service itself is the least of the reasons. */
const MORE_TO_DO = 0.5;
/** Who waits for somebody else who waits (at least so much of it) is no more than a part of the queue. */
const WAITS_AS_MUCH = 0.7;
const EXPLAINED = 0.3;
/** A caller that begins to wait speaks against the ones it calls. */
const CALLER_WAITS = 0.6;
/** The alerting service shows what is wrong with all others. */
const ALERTING_SERVICE = 0.6;
/** Weighed sum of ln(1+z) beyond the common one that counts fully: three facets, each at three and a half times its noise, where nothing is common. */
const FULL = 4.5;

/**
 * Disturbance of a whole resource profile. Measures how far processor, memory, traffic, disk, threads and sockets of a service together depart from usual
 * (the sum of the logarithms of the largest robust z), on a scale on which a stop weighs as much as a surge, and takes off what others explain: work that
 * falls because the callers call less, resources that rise with the requests, threads and sockets held while a callee is waited for. A caller
 * that begins to wait speaks against its callees. The main witness where nothing measures the symptom itself (no latency, errors, availability, traces of
 * several services); elsewhere it is silent, for it would blame the victims.
 */
export function disturbanceClues(context: RankContext): Clue[] {
  if (measuresSymptom(context)) return [];
  const profiles = profilesOf(context);
  const disturbances = [...profiles].map(([service, profile]) =>
    measureDisturbance(context, profiles, service, profile),
  );
  // What most services show, such as less traffic everywhere, is no sign of one of them.
  const common = lowerMedian(disturbances.map(({ total }) => total));
  return disturbances.flatMap((disturbance) => {
    const strength = Math.min(1, (disturbance.total - common) / FULL);
    return strength > 0 && disturbance.parts.length > 0 ? [disturbanceClue(context, disturbance, strength)] : [];
  });
}

interface Part {
  readonly facet: Facet;
  readonly movement: Movement;
  readonly weight: number;
}

interface Disturbance {
  readonly service: string;
  /** The most disturbed facets, heaviest first. */
  readonly parts: readonly Part[];
  readonly total: number;
}

type Profiles = ReadonlyMap<string, Profile>;

function measureDisturbance(
  { model }: RankContext,
  profiles: Profiles,
  service: string,
  profile: Profile,
): Disturbance {
  const { services } = model;
  const most = (names: ReadonlySet<string>, measure: (profile: Profile | undefined) => number) =>
    largest([...names].map((name) => measure(profiles.get(name))));
  const explained: Explained = {
    fall: most(services.callers(service), lessWork),
    rise: moreWork(profile),
    waiting: most(services.callees(service), waiting),
  };
  const parts = [...profile]
    .map(([facet, movement]) => ({ facet, movement, weight: weightOf(facet, movement, explained) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, FACETS);
  const own = sum(parts.map(({ weight }) => weight));
  const callers = CALLER_WAITS * damped(most(services.callers(service), waiting));
  return { service, parts, total: (own + callers) * (service === services.alerting ? ALERTING_SERVICE : 1) };
}

/** What others explain of a profile: falls and rises as logarithms of ratios, waiting in units of noise. */
interface Explained {
  readonly fall: number;
  readonly rise: number;
  readonly waiting: number;
}

function weightOf(facet: Facet, { rise, fall, noise }: Movement, explained: Explained): number {
  const says = SAYS[facet] ?? 1;
  if (facet === 'held' || facet === 'latency') {
    const isQueue = explained.waiting >= WAITS_AS_MUCH * (rise / noise);
    return Math.max(damped(rise / noise) * (isQueue ? EXPLAINED : 1), damped(fall / noise));
  }
  if (!WORK.has(facet)) return says * damped(Math.max(rise, fall) / noise);
  const ownRise = INCOMING.includes(facet) ? MORE_TO_DO * rise : rise - explained.rise;
  return says * damped(Math.max(ownRise, fall - explained.fall) / noise);
}

function damped(surprise: number): number {
  return Math.log1p(Math.min(MOST_SURPRISE, Math.max(0, surprise)));
}

/** By how much a service has less to do: the middle of what its work facets say. */
function lessWork(profile: Profile | undefined): number {
  const falls = (['received', 'requests', 'cpu', 'sent'] as const).flatMap((facet) => profile?.get(facet)?.fall ?? []);
  return median(falls);
}

/** By how much more comes in, as all incoming facets agree. */
function moreWork(profile: Profile | undefined): number {
  const rises = INCOMING.flatMap((facet) => profile?.get(facet)?.rise ?? []);
  return rises.length > 0 ? Math.min(...rises) : 0;
}

/** How much a service waits, in units of noise. */
function waiting(profile: Profile | undefined): number {
  const rises = (['held', 'latency'] as const).flatMap((facet) => profile?.get(facet) ?? []);
  return largest(rises.map(({ rise, noise }) => rise / noise));
}

/** The lower middle, so that of two services the more disturbed one stands out. */
function lowerMedian(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 1] ?? 0;
}

function disturbanceClue(context: RankContext, { service, parts }: Disturbance, strength: number): Clue {
  const views = parts.map(({ movement }) => movement.view);
  return {
    type: 'disturbance',
    service,
    strength,
    statement: () => `several metrics of ${service} depart from usual at once: ${changesOf(views)}`,
    rootCauseType: meaningOf(parts[0]),
    facts: () => views.map((view) => metricFact(view, context.model.triggerMs)),
  };
}

const MEANING: Partial<Record<Facet, RootCauseType>> = {
  cpu: 'cpu_saturation',
  memory: 'memory_exhaustion',
  reads: 'io_saturation',
  writes: 'io_saturation',
};

/** Only a rise names a cause; a fall is what many causes look like. */
function meaningOf(part: Part | undefined): RootCauseType {
  if (!part || part.movement.rise < part.movement.fall) return 'unknown';
  return MEANING[part.facet] ?? 'unknown';
}
