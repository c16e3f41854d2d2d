import { integer, minutes } from './kinds.ts';

export const investigation = {
  BASELINE_MINUTES: integer(5, 10_080)
    .default(60)
    .describe(
      'Minutes of telemetry before the alert that are read and taken as normal. Raise it for alerts that fire long after the trouble began.',
    ),
  EVENT_WINDOW_SECONDS: integer(10, 86_400)
    .default(300)
    .describe('How far from the start of the alert an event (a deployment, a restart) may be to count as related.'),
  BRIEF_TOKEN_BUDGET: integer(500, 200_000).default(5820).describe('Most estimated tokens of the brief.'),
  FUNNEL_MEMORY_MB: integer(64, 65_536)
    .default(1024)
    .describe(
      'Most memory of the thread that distils one incident. What does not fit is thinned out, and the report says so.',
    ),
  FLAPPING_OCCURRENCES: integer(2, 20)
    .default(3)
    .describe(
      'An alert that fires so often within an hour flaps: further occurrences join its incident instead of opening new ones.',
    ),
  FLAPPING_QUIET_MINUTES: integer(1, 1440)
    .default(10)
    .describe('Minutes without firing after which an incident whose alert flaps is resolved.'),
  STORM_THRESHOLD: integer(1, 10_000)
    .default(8)
    .describe(
      'More incidents than this within STORM_WINDOW_SECONDS are a storm: connected ones are investigated together, and one summary tells of all.',
    ),
  STORM_WINDOW_SECONDS: integer(10, 3600).default(120).describe('Seconds within which the incidents of a storm begin.'),
  WORKER_CONCURRENCY: integer(0, 1000)
    .default(4)
    .describe('Investigations at the same time in one worker process; 0 leaves them to other processes.'),
  SUB_AGENT_CONCURRENCY: integer(0, 1000)
    .default(8)
    .describe(
      'Sub-agents at the same time in one worker process, beside its investigations; 0 leaves them to other processes.',
    ),
  JOB_LOCK_MS: integer(1000, 600_000)
    .default(15_000)
    .describe(
      'A worker that is silent for so long is taken for dead, and its work goes on elsewhere. Raise it where machines are so busy that workers lose their locks.',
    ),
  SECOND_LOOK_MINUTES: minutes
    .default([5, 15])
    .describe(
      'When an incident that still fires is looked at again, in minutes after its investigation began; no model is asked, and the post changes only when another service is suspected. none: never.',
    ),
  REINVESTIGATE_COOLDOWN_MINUTES: integer(0, 1440)
    .default(10)
    .describe('Least minutes from the end of an investigation until an incident that grew is investigated again.'),
  INVESTIGATION_TIMEOUT_MS: integer(1000, 3_600_000).default(300_000).describe('Deadline of one investigation.'),
} as const;
