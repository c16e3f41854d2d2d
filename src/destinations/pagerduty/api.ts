import { z } from 'zod';
import type { HttpAnswer } from '../../platform/http-request.ts';
import { PAGERDUTY_PROBLEMS, pagerDutyHeaders, untilReset } from '../../platform/pagerduty-api.ts';
import { classifyAnswer } from '../classify.ts';
import { createJsonApi, parseJson, saidBy, type Failure, type JsonApi } from '../json-api.ts';

const ErrorBody = z.looseObject({
  error: z.looseObject({ code: z.number().optional(), message: z.string().optional() }),
});

export interface PagerDutyAccess {
  readonly apiUrl: string;
  readonly token: string;
  /** E-mail of the user who signs notes: needed with account-level keys. */
  readonly from: string | undefined;
}

export function createPagerDutyApi({ apiUrl, token, from }: PagerDutyAccess): JsonApi {
  return createJsonApi({
    name: 'PagerDuty',
    baseUrl: apiUrl,
    headers: {
      ...pagerDutyHeaders(token),
      ...(from === undefined ? {} : { from }),
    },
    explain: explainPagerDuty,
  });
}

/** Codes of PagerDuty's errors, each with what to do about it. */
const BY_CODE: Readonly<Record<number, string>> = {
  1008: 'no PagerDuty user has the e-mail address in PAGERDUTY_FROM; set it to one that has',
  1028: 'PAGERDUTY_FROM is malformed; set it to the e-mail address of a PagerDuty user',
  2016: 'this API key is of the account: set PAGERDUTY_FROM to the e-mail address of a PagerDuty user',
};
const BY_STATUS: Readonly<Record<number, string>> = {
  ...PAGERDUTY_PROBLEMS,
  402: 'the PagerDuty account has no such ability',
  403: 'PAGERDUTY_API_TOKEN may not write notes; use a key that is not read-only, or set PAGERDUTY_NOTES=false',
};

function explainPagerDuty(answer: HttpAnswer): Failure {
  const verdict = classifyAnswer(answer, Date.now());
  const { code, message } = ErrorBody.safeParse(parseJson(answer.body)).data?.error ?? {};
  const why = (code === undefined ? undefined : BY_CODE[code]) ?? BY_STATUS[answer.status];
  const reason = `HTTP ${answer.status}${code === undefined ? '' : `, code ${code}`}${why ? `: ${why}` : ''}${saidBy(message)}`;
  if (verdict.outcome !== 'retry') return { outcome: 'give-up', reason };
  const afterMs = verdict.afterMs ?? untilReset(answer);
  return { ...verdict, reason, ...(afterMs === undefined ? {} : { afterMs }) };
}
