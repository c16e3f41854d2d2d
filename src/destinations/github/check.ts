import { z } from 'zod';
import type { CheckResult } from '../../domain/check-result.ts';
import type { JsonApi } from '../json-api.ts';

const NAME = 'github';

const Repository = z.looseObject({
  full_name: z.string(),
  has_issues: z.boolean().optional(),
  archived: z.boolean().optional(),
  private: z.boolean().optional(),
  permissions: z.looseObject({ push: z.boolean().optional(), triage: z.boolean().optional() }).optional(),
});

/** What the token sees of the repository, and whether an issue could be opened. Posts nothing. */
export async function checkGitHub(api: JsonApi, repository: string, signal: AbortSignal): Promise<CheckResult> {
  const answer = await api.get(`/repos/${repository}`, Repository, signal);
  if (!answer.ok) {
    const remedy =
      answer.failure.outcome === 'retry'
        ? 'check the network and GITHUB_API_URL; if both are right, try again later'
        : 'set GITHUB_ISSUES_REPOSITORY to owner/name and GITHUB_ISSUES_TOKEN to a token with Issues: read and write on it';
    return { name: NAME, status: 'fail', value: answer.failure.reason, remedy };
  }
  const { full_name: fullName, has_issues: hasIssues, archived, permissions } = answer.body;
  const value = `${answer.body.private === false ? 'public' : 'private'} repository ${fullName}`;
  if (archived) return fail(`${value} is archived`, 'set GITHUB_ISSUES_REPOSITORY to another one');
  if (hasIssues === false) return fail(`${value} has issues disabled`, 'enable issues in its settings');
  // Anyone reads a public repository's issues: hosts, queries and log lines stand in a report.
  if (answer.body.private === false) {
    return {
      name: NAME,
      status: 'warn',
      value,
      remedy: 'reports tell of your systems: set GITHUB_ISSUES_REPOSITORY to a private one',
    };
  }
  if (permissions?.push === false && permissions.triage !== true) {
    const remedy = 'give the token’s owner triage or write access, or the label rootnote is left out';
    return { name: NAME, status: 'warn', value: `${value}, without the right to set labels`, remedy };
  }
  return { name: NAME, status: 'ok', value: `${value}; nothing was posted` };
}

function fail(value: string, remedy: string): CheckResult {
  return { name: NAME, status: 'fail', value, remedy };
}
