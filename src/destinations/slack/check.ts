import { z } from 'zod';
import type { CheckResult } from '../../domain/check-result.ts';
import type { SlackApi } from './api.ts';

const Identity = z.looseObject({ team: z.string().optional(), user: z.string().optional() });
const ChannelInfo = z.looseObject({
  channel: z.looseObject({
    name: z.string().optional(),
    is_member: z.boolean().optional(),
    is_archived: z.boolean().optional(),
  }),
});
const HISTORY_SCOPES = ['channels:history', 'groups:history'];
const NAME = 'slack';

/** Who the token is and whether it reaches the channel. Posts nothing. */
export async function checkSlack(api: SlackApi, channel: string, signal: AbortSignal): Promise<CheckResult> {
  const identity = await api.read('auth.test', {}, Identity, signal);
  if (!identity.ok) {
    const remedy =
      identity.failure.outcome === 'retry'
        ? 'check the network and SLACK_API_URL; if both are right, try again later'
        : 'set SLACK_BOT_TOKEN to the bot token of an app that is installed in the workspace';
    return { name: NAME, status: 'fail', value: identity.error, remedy };
  }
  const who = `${identity.body.user ?? 'bot'} in ${identity.body.team ?? 'the workspace'}`;
  const info = await api.read('conversations.info', { channel }, ChannelInfo, signal);
  if (!info.ok && info.error === 'missing_scope') {
    const remedy = 'add the scope channels:read to let this check look at the channel';
    return { name: NAME, status: 'warn', value: `${who}; channel ${channel} could not be checked`, remedy };
  }
  if (!info.ok) {
    const remedy = 'set SLACK_CHANNEL to the id of a channel that the app was invited to';
    return { name: NAME, status: 'fail', value: `${who}; channel ${channel}: ${info.error}`, remedy };
  }
  const { name = channel, is_member: isMember, is_archived: isArchived } = info.body.channel;
  const value = `${who}, #${name}`;
  if (isArchived)
    return { name: NAME, status: 'fail', value: `${value} is archived`, remedy: 'set SLACK_CHANNEL to another one' };
  if (isMember === false) {
    return { name: NAME, status: 'fail', value: `${value}, not a member`, remedy: `invite the app to #${name}` };
  }
  const remedies = identity.scopes.some(Boolean) ? missingScopes(identity.scopes) : [];
  if (remedies.length > 0) return { name: NAME, status: 'warn', value, remedy: `add the ${remedies.join('; the ')}` };
  return { name: NAME, status: 'ok', value };
}

/** Without `x-oauth-scopes` in the answer nothing is known. */
function missingScopes(scopes: readonly string[]): readonly string[] {
  const mayLook = HISTORY_SCOPES.some((scope) => scopes.includes(scope));
  return [
    ...(mayLook
      ? []
      : [
          'scope channels:history (groups:history for a private channel): a post of unknown outcome is looked up with it, else it may appear twice',
        ]),
    ...(scopes.includes('files:write')
      ? []
      : ['scope files:write: reports come without the picture of their timeline until then']),
  ];
}
