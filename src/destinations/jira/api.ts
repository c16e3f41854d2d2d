import { z } from 'zod';
import type { HttpAnswer } from '../../platform/http-request.ts';
import { classifyAnswer } from '../classify.ts';
import { createJsonApi, parseJson, saidBy, type Failure, type JsonApi } from '../json-api.ts';

export const ErrorBody = z.looseObject({
  errorMessages: z.array(z.string()).optional(),
  errors: z.record(z.string(), z.string()).optional(),
});

export type Deployment = 'cloud' | 'datacenter';

export interface JiraAccess {
  /** `https://acme.atlassian.net`, with the context path of a Data Center where it has one. */
  readonly url: string;
  readonly deployment: Deployment;
  /** With it the token is sent as its password (Cloud), without it as a bearer token (Data Center). */
  readonly email: string | undefined;
  readonly token: string;
}

/** Cloud speaks version 3 (documents), Data Center version 2 (wiki text). */
export function createJiraApi({ url, deployment, email, token }: JiraAccess): JsonApi {
  const basic = () => `Basic ${Buffer.from(`${email}:${token}`, 'utf8').toString('base64')}`;
  return createJsonApi({
    name: 'Jira',
    baseUrl: `${url}/rest/api/${deployment === 'cloud' ? 3 : 2}`,
    headers: {
      authorization: email === undefined ? `Bearer ${token}` : basic(),
      accept: 'application/json',
      'user-agent': 'rootnote',
    },
    explain: explainJira,
  });
}

const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'Jira refuses a field: check JIRA_PROJECT, JIRA_ISSUE_TYPE and which fields the project asks for',
  401: 'Jira does not take the credentials: check JIRA_EMAIL and JIRA_TOKEN',
  403: 'the Jira user may not do this: give it Browse projects, Create issues and Add comments in JIRA_PROJECT, and log in once if Jira asks for a CAPTCHA',
  404: 'there is no such project or issue, or the Jira user cannot see it: check JIRA_URL and JIRA_PROJECT',
  410: 'this address is gone from Jira’s API: check JIRA_DEPLOYMENT',
};

function explainJira(answer: HttpAnswer): Failure {
  const verdict = classifyAnswer(answer, Date.now());
  const { errorMessages = [], errors = {} } = ErrorBody.safeParse(parseJson(answer.body)).data ?? {};
  const fields = Object.entries(errors).map(([field, message]) => `${field}: ${message}`);
  const said = saidBy([...errorMessages, ...fields].join('; '));
  if (verdict.outcome === 'retry') return { ...verdict, reason: `HTTP ${answer.status}${said}` };
  const why = BY_STATUS[answer.status];
  return { outcome: 'give-up', reason: `HTTP ${answer.status}${why ? `: ${why}` : ''}${said}` };
}
