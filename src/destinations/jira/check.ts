import { z } from 'zod';
import type { CheckResult } from '../../domain/check-result.ts';
import type { JsonApi } from '../json-api.ts';

const Myself = z.looseObject({ displayName: z.string().optional() });
const Project = z.looseObject({
  name: z.string().optional(),
  issueTypes: z.array(z.looseObject({ name: z.string() })).optional(),
});
const Permissions = z.looseObject({
  permissions: z.record(z.string(), z.looseObject({ havePermission: z.boolean() })),
});
const NEEDED = ['CREATE_ISSUES', 'ADD_COMMENTS'];

const NAME = 'jira';

/** Who the token is, and whether the project takes issues of the type from it. Posts nothing. */
export async function checkJira(
  api: JsonApi,
  { project, issueType }: { readonly project: string; readonly issueType: string },
  signal: AbortSignal,
): Promise<CheckResult> {
  const fail = (value: string, remedy: string): CheckResult => ({ name: NAME, status: 'fail', value, remedy });
  const me = await api.get('/myself', Myself, signal);
  if (!me.ok) {
    const isAway = me.failure.outcome === 'retry';
    return fail(
      me.failure.reason,
      isAway
        ? 'check the network and JIRA_URL; if both are right, try again later'
        : 'check JIRA_EMAIL, JIRA_TOKEN and JIRA_DEPLOYMENT',
    );
  }
  const who = me.body.displayName ?? 'a user';
  const found = await api.get(`/project/${encodeURIComponent(project)}`, Project, signal);
  if (!found.ok) {
    return fail(
      `${who}; project ${project}: ${found.failure.reason}`,
      'set JIRA_PROJECT to the key of a project this user sees',
    );
  }
  const types = found.body.issueTypes?.map((type) => type.name) ?? [];
  const value = `${who}; project ${project} (${found.body.name ?? 'no name'}), issue type ${issueType}`;
  if (types.length > 0 && !types.includes(issueType)) {
    return fail(`${value} is not there`, `set JIRA_ISSUE_TYPE to one of: ${types.join(', ')}`);
  }
  const query = `projectKey=${encodeURIComponent(project)}&permissions=${NEEDED.join(',')}`;
  const rights = await api.get(`/mypermissions?${query}`, Permissions, signal);
  const missing = rights.ok ? NEEDED.filter((right) => rights.body.permissions[right]?.havePermission === false) : [];
  if (missing.length > 0)
    return fail(`${value}; without ${missing.join(', ')}`, `give ${who} these permissions in ${project}`);
  return { name: NAME, status: 'ok', value };
}
