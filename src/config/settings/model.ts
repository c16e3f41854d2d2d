import { z } from 'zod';
import { integer, token, url, usDollars } from './kinds.ts';

export const model = {
  ANTHROPIC_API_KEY: token
    .optional()
    .describe('Key of the Anthropic API. Unset: reports come from the offline analyst.')
    .meta({ secret: true }),
  ANTHROPIC_BASE_URL: url.default('https://api.anthropic.com').describe('Base URL of the Messages API.'),
  MODEL_ID: z.string().default('claude-sonnet-5-5').describe('Model that investigates.'),
  AGENT_MAX_TURNS: integer(1, 100)
    .default(12)
    .describe('Most requests to the model in one investigation; the report is written with what is known by then.'),
  AGENT_MAX_TOKENS: integer(1000, 100_000_000)
    .default(800_000)
    .describe(
      'Most input and output tokens of one investigation, sub-agents and what the prompt cache serves included.',
    ),
  AGENT_MAX_COST_USD: usDollars
    .optional()
    .describe(
      'Most that one investigation may cost, sub-agents included, in US dollars. Unset: 3 for a model whose price is known, else no limit but AGENT_MAX_TOKENS.',
    ),
  AGENT_MAX_COST_USD_PER_DAY: usDollars
    .optional()
    .describe(
      'Most that all investigations of a day (UTC) may cost together, in US dollars. Above it the offline analyst reports, and the report says so. Unset: no limit.',
    ),
  AGENT_MAX_COST_USD_PER_HOUR: usDollars
    .optional()
    .describe('The same for an hour (UTC), so that one storm does not use up the day. Unset: no limit.'),
  AGENT_MAX_INVESTIGATIONS_PER_HOUR: integer(1, 100_000)
    .optional()
    .describe(
      'Most investigations with the model that begin in an hour (UTC). Above it the offline analyst reports, and the report says so. Unset: no limit.',
    ),
  MODEL_MAX_OUTPUT_TOKENS: integer(256, 64_000).default(4096).describe('Most output tokens of one turn.'),
  MODEL_IDLE_TIMEOUT_MS: integer(10, 600_000)
    .default(60_000)
    .describe('A model stream that says nothing for so long is cut and retried.'),
} as const;
