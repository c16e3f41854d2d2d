import { distil } from '../src/funnel/distil.ts';
import { createRecordingProvider, readRecordedIncident } from '../src/providers/recording/index.ts';
import type { RankingReply, RankingRequest } from './rca-reply.ts';

/** The documented defaults, so that the figures are those of an unconfigured worker. */
const OPTIONS = { tokenBudget: 5820, eventWindowMs: 300_000 };
const ALL_TIME = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

/**
 * Ranks one recording a message, in a process of its own: a crash costs one case, and nothing here ever sees the truth.
 * Message in: a `RankingRequest`. Message out: a `RankingReply`.
 */
async function rank({ directory, untilAfterAlertMs }: RankingRequest): Promise<RankingReply> {
  const beganMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const incident = await readRecordedIncident(directory);
  const provider = createRecordingProvider(directory, untilAfterAlertMs === undefined ? {} : { untilAfterAlertMs });
  const telemetry = await provider.gather(incident, ALL_TIME, new AbortController().signal);
  const brief = distil(incident, telemetry, OPTIONS);
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    ranked: brief.ranking.suspects.map(({ service }) => service),
    confidence: brief.ranking.confidence,
    type: brief.ranking.suspects[0]?.rootCauseType ?? 'unknown',
    briefTokens: brief.tokens,
    rawTokens: brief.rawTokens,
    cpuMs: (user + system) / 1000,
    ms: performance.now() - beganMs,
  };
}

process.on('message', (request) => {
  rank(request as RankingRequest).then(
    (reply) => process.send?.(reply),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
