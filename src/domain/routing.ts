import type { Incident } from './incident.ts';

/** Which destinations are told of an incident, and which incidents are not to be told at all. Pure: decided from the incident alone. */
export interface Routing {
  /** Where to, and after what time of still firing; in the order of the routes, each destination once. Names that are configured. */
  routesFor(incident: Incident): readonly RoutedDestination[];
  /** Of the summary of a storm: what routes make of the labels `kind="storm"`. */
  routesForStorms(): readonly RoutedDestination[];
  /** Names of `routesFor`. */
  destinationsFor(incident: Incident): readonly string[];
  /** Which rule it is that nobody is told of it: `routes.yaml:9`, or `the default`. Undefined when somebody is. */
  sinkOf(incident: Incident): string | undefined;
  /** The mute rule that covers the whole incident now, if there is one. */
  muteOf(incident: Incident, nowMs: number): Mute | undefined;
}

export interface RoutedDestination {
  readonly destination: string;
  /** Told only when the incident still fires so long after it was first to be told. 0: at once. */
  readonly afterMs: number;
}

export interface Mute {
  readonly reason: string;
  /** When the rule ends for good; undefined where it has no end of its own. */
  readonly untilMs?: number;
  /** Where the rules stand: `routes.yaml:12`. */
  readonly at?: string;
}
