import { z } from 'zod';
import { MODEL_RULES, POST_RULES, type Job } from '../domain/check.ts';
import { Probes } from '../domain/probe.ts';
import { didYouMean } from '../policy/nearest.ts';
import { explainCron } from './cron.ts';

const MAX_CATCH_UP_MINUTES = 1440;
const DEFAULT_CATCH_UP_MINUTES = 60;
const DEFAULT_DIGEST = '0 8 * * *';

const Cron = z
  .string({ error: 'must be five fields in quotes: minute hour day month weekday, such as "0 8 * * 1-5"' })
  .superRefine((text, context) => {
    for (const message of explainCron(text)) context.addIssue({ code: 'custom', message });
  });

const TimeZone = z.string().superRefine((text, context) => {
  if (isTimeZone(text)) return;
  const hint = didYouMean(text, Intl.supportedValuesOf('timeZone')) || ', such as UTC or Europe/Berlin';
  context.addIssue({ code: 'custom', message: `must be an IANA time zone${hint}` });
});

function isTimeZone(text: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: text }));
  } catch {
    return false;
  }
}

/** The same name twice would be a slip of the pen. */
const names = (what: string) =>
  z
    .array(z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, `must be the name of a ${what}`))
    .max(20)
    .refine((all) => new Set(all).size === all.length, `names a ${what} twice`)
    .default([]);

const Budget = z.strictObject({
  turns: z.number().int().min(1).max(100).optional(),
  cost_usd: z.number().positive('must be an amount above 0, such as 0.5').max(100).optional(),
  minutes: z.number().int().min(1).max(60).optional(),
});

/** The front matter of `jobs/<name>.md`. */
export const JobFrontMatter = z
  .strictObject({
    description: z.string().min(1).max(300),
    cron: Cron,
    timezone: TimeZone.default('UTC'),
    severity: z.enum(['info', 'warning', 'critical']).default('info'),
    enabled: z.boolean().default(true),
    labels: z.record(z.string(), z.string()).default({}),
    skills: names('playbook'),
    destinations: names('destination'),
    post: z.enum(POST_RULES).default('change'),
    digest: Cron.optional(),
    model: z.enum(MODEL_RULES).default('when-found'),
    budget: Budget.default({}),
    catch_up: z.number().int().min(0).max(MAX_CATCH_UP_MINUTES).default(DEFAULT_CATCH_UP_MINUTES),
    probes: Probes.default([]),
  })
  .superRefine(({ post, digest }, context) => {
    if (digest !== undefined && post !== 'digest')
      context.addIssue({ code: 'custom', path: ['digest'], message: 'does nothing without post: digest' });
  })
  .transform(({ catch_up: catchUpMinutes, budget, digest, ...rest }): Omit<Job, 'name' | 'prompt'> => {
    const { cost_usd: costUsd, turns, minutes } = budget;
    return {
      ...rest,
      digest: rest.post === 'digest' ? (digest ?? DEFAULT_DIGEST) : undefined,
      budget: {
        ...(turns === undefined ? {} : { turns }),
        ...(costUsd === undefined ? {} : { costUsd }),
        ...(minutes === undefined ? {} : { minutes }),
      },
      catchUpMinutes,
    };
  });
