import type { HttpAnswer } from './http-request.ts';

/** What all calls of PagerDuty's REST API v2 have in common, be it that alerts are read or that notes are written. */
export function pagerDutyHeaders(token: string): Readonly<Record<string, string>> {
  return { authorization: `Token token=${token}`, accept: 'application/vnd.pagerduty+json;version=2' };
}

/** What an error means whatever was asked for, and what to do about it. */
export const PAGERDUTY_PROBLEMS: Readonly<Record<number, string>> = {
  401: 'PagerDuty does not take PAGERDUTY_API_TOKEN; set it to a valid REST API key',
  404: 'PagerDuty knows no such incident, or PAGERDUTY_API_TOKEN belongs to another account or region (PAGERDUTY_API_URL)',
};

const LONGEST_RESET_S = 3600;

/** `ratelimit-reset` of a 429, in ms: when the minute of the key is over. Sometimes PagerDuty does not say. */
export function untilReset({ status, headers }: HttpAnswer): number | undefined {
  const seconds = Number(headers['ratelimit-reset'] ?? NaN);
  return status === 429 && seconds >= 0 && seconds <= LONGEST_RESET_S ? seconds * 1000 : undefined;
}
