import pLimit from 'p-limit';
import { abortAfter } from '../domain/deadline.ts';
import type { ProbeAnswer, ProbeAnswers } from '../domain/probe-answer.ts';
import type { Probe } from '../domain/probe.ts';
import type { TelemetryProvider } from '../domain/provider.ts';
import { unanswered } from '../funnel/probes/verdict.ts';
import { clip, oneLine } from '../policy/untrusted.ts';
import { createReader, NobodyToAsk } from './reader.ts';
import { runProbe } from './run-probe.ts';

/** A check must not be the next load spike. */
const PARALLEL = 4;
const PROBE_TIMEOUT_MS = 30_000;
const LONGEST_REASON = 300;

export interface RunProbesOptions {
  readonly providers: readonly TelemetryProvider[];
  /** The moment that the check is about: its tick, or the end of a recording. */
  readonly nowMs: number;
  readonly signal: AbortSignal;
  /** Of one probe. Default 30 s. */
  readonly timeoutMs?: number;
}

/** Answers to all probes, in their order. A probe that cannot be asked is unanswered, with the reason. Rejects only when `signal` aborts. */
export async function runProbes(probes: readonly Probe[], options: RunProbesOptions): Promise<ProbeAnswers> {
  const { providers, nowMs, signal, timeoutMs = PROBE_TIMEOUT_MS } = options;
  const limit = pLimit(PARALLEL);
  const reader = createReader(providers, nowMs);
  const answerOne = async (probe: Probe): Promise<ProbeAnswer> => {
    const deadline = abortAfter(signal, timeoutMs);
    try {
      return await runProbe(probe, reader, deadline);
    } catch (error) {
      signal.throwIfAborted();
      const reason = deadline.aborted ? `no answer within ${timeoutMs / 1000} s` : messageOf(error);
      const answer = unanswered(probe, clip(oneLine(reason), LONGEST_REASON));
      return error instanceof NobodyToAsk ? answer : { ...answer, hasFailed: true };
    }
  };
  return Promise.all(probes.map((probe) => limit(() => answerOne(probe))));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
