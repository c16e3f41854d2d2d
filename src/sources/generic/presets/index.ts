import { Mappings } from '../mapping.ts';
import { CLOUDWATCH } from './cloudwatch.ts';
import { DATADOG } from './datadog.ts';
import { OPSGENIE } from './opsgenie.ts';
import { PLAIN } from './plain.ts';
import { SENTRY } from './sentry.ts';

export const PRESETS = ['datadog', 'sentry', 'cloudwatch-sns', 'opsgenie'] as const;
export type Preset = (typeof PRESETS)[number];

const DATA: Readonly<Record<Preset | 'plain', unknown>> = {
  plain: PLAIN,
  datadog: DATADOG,
  sentry: SENTRY,
  'cloudwatch-sns': CLOUDWATCH,
  opsgenie: OPSGENIE,
};

/** What a preset knows; `plain` is for senders without one. The same as an operator would write. */
export function presetMappings(preset: Preset | 'plain'): Mappings {
  return Mappings.parse(DATA[preset]);
}

/** Headers that a sender's signature comes in, when it cannot be chosen there. */
export const SIGNATURE_HEADERS: Readonly<Partial<Record<Preset, string>>> = { sentry: 'Sentry-Hook-Signature' };
