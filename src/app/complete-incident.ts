import type { Config } from '../config/schema.ts';
import type { Incident } from '../domain/incident.ts';
import type { InvestigationParts } from '../investigate/run.ts';
import { createPagerDutyDetails } from '../sources/pagerduty/details/index.ts';

type Reading = Pick<InvestigationParts, 'gather' | 'distil' | 'guide'>;

/**
 * The same parts, for which what a webhook left out is read before telemetry is: where PagerDuty's alerts say which service and which expression,
 * providers are asked for those. What could not be read is a gap.
 */
export function withAlertDetails<T extends Reading>(
  parts: T,
  config: Pick<Config, 'PAGERDUTY_API_TOKEN' | 'PAGERDUTY_API_URL'>,
  redact: (text: string) => string,
): T {
  const details = createPagerDutyDetails({
    apiUrl: config.PAGERDUTY_API_URL,
    token: config.PAGERDUTY_API_TOKEN,
    redact,
  });
  // One investigation works with one object; when that is gone, so is what was read for it.
  const completed = new WeakMap<Incident, Incident>();
  const known = (incident: Incident) => completed.get(incident) ?? incident;
  return {
    ...parts,
    gather: async (incident, window, signal) => {
      const { incident: complemented, gaps } = await details.complete(incident, signal);
      completed.set(incident, complemented);
      const telemetry = await parts.gather(complemented, window, signal);
      return gaps.length === 0 ? telemetry : { ...telemetry, gaps: [...telemetry.gaps, ...gaps] };
    },
    distil: (incident, telemetry, options, signal) => parts.distil(known(incident), telemetry, options, signal),
    guide: (incident, brief) => parts.guide(known(incident), brief),
  };
}
