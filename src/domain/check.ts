import { counted } from './counted.ts';
import { isoMinute } from './iso-minute.ts';
import type { Probe } from './probe.ts';

/**
 * When the destinations are told of a run. `change`: when its result differs from that of the run before. `digest`: only the runs that are due as a
 * digest, whatever came of them.
 */
export const POST_RULES = ['change', 'always', 'digest'] as const;
export type PostRule = (typeof POST_RULES)[number];

/** When the model is asked. `when-found`: only when a probe found something. */
export const MODEL_RULES = ['when-found', 'always', 'never'] as const;
export type ModelRule = (typeof MODEL_RULES)[number];

/** Most that one run may use. What is absent, and whatever is above the limits of the process, is as the settings say. */
export interface CheckBudget {
  readonly turns?: number;
  readonly costUsd?: number;
  readonly minutes?: number;
}

/** A scheduled check as its file describes it (jobs/README.md). Plain JSON: a tick takes it along, so that a worker needs no file. */
export interface Job {
  /** Of its file: lower-case letters, digits and hyphens. */
  readonly name: string;
  readonly description: string;
  /** Five fields. */
  readonly cron: string;
  /** IANA name. */
  readonly timezone: string;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly enabled: boolean;
  /** What it looks at, as alert labels would name it. */
  readonly labels: Readonly<Record<string, string>>;
  /** Playbooks that it is given. One that is not there was told at start. */
  readonly skills: readonly string[];
  /** Names of destinations; empty: as the routes say. One that is not configured was told at start. */
  readonly destinations: readonly string[];
  readonly post: PostRule;
  /** Of `post: digest`: five fields in its time zone. The first run at or after such a time is the digest. */
  readonly digest: string | undefined;
  readonly model: ModelRule;
  readonly budget: CheckBudget;
  /** A tick that nobody took in time is run late, when it is at most so old. */
  readonly catchUpMinutes: number;
  readonly probes: readonly Probe[];
  /** The body: what to look for, in words. */
  readonly prompt: string;
}

/** Ticks of a check that were not run. `missed`: no scheduler was there for them. `overlap`: the run before had not ended. */
export interface UnrunTicks {
  readonly why: 'missed' | 'overlap';
  readonly count: number;
  /** The first and the last of them. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** One tick of a check as the scheduler hands it in, beside what every incident says. Its time is the incident's `startsAtMs`. */
export interface CheckTick {
  readonly job: Job;
  /** How long after its time it was handed in; 0 in time. */
  readonly lateMs: number;
  /** Ticks since the run before that were not run: gaps of its report. */
  readonly unrun: readonly UnrunTicks[];
  /** With `post: digest`: this run is a digest of all runs since then. */
  readonly digestSinceMs?: number;
}

/** For reports, lists and logs: `3 ticks were missed between … and …: no scheduler was running or could reach Redis`. */
export function unrunInWords({ why, count, fromMs, toMs }: UnrunTicks): string {
  const what = why === 'missed' ? 'missed' : 'skipped';
  const when = count === 1 ? `at ${isoMinute(fromMs)}` : `between ${isoMinute(fromMs)} and ${isoMinute(toMs)}`;
  const reason = why === 'missed' ? 'no scheduler was running or could reach Redis' : 'the run before had not ended';
  return `${counted(count, 'tick')} ${count === 1 ? 'was' : 'were'} ${what} ${when}: ${reason}`;
}

/** How a run ended. `found`: something is not as it should be. `failed`: it could not look. */
export type CheckStatus = 'healthy' | 'found' | 'failed';

/** The result of one run, which the next one is compared with. */
export interface CheckOutcome {
  readonly tickMs: number;
  readonly endedAtMs: number;
  readonly status: CheckStatus;
  readonly reportId: string;
  readonly confidence: number;
  /** One line. */
  readonly summary: string;
  /** Equal for results that tell people the same; made by whoever runs checks. */
  readonly signature: string;
}
