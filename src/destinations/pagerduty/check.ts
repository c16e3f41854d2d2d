import { z } from 'zod';
import type { CheckResult } from '../../domain/check-result.ts';
import type { JsonApi } from '../json-api.ts';

const Abilities = z.looseObject({ abilities: z.array(z.string()) });
const Me = z.looseObject({ user: z.looseObject({ name: z.string().optional(), email: z.string().optional() }) });
const Users = z.looseObject({ users: z.array(z.looseObject({ name: z.string().optional(), email: z.string() })) });

const NAME = 'pagerduty';

/** Whether the key is taken, whose it is, and whether the user who signs notes exists. Writes nothing. */
export async function checkPagerDuty(
  api: JsonApi,
  from: string | undefined,
  signal: AbortSignal,
): Promise<CheckResult> {
  const abilities = await api.get('/abilities', Abilities, signal);
  if (!abilities.ok) {
    const remedy =
      abilities.failure.outcome === 'retry'
        ? 'check the network and PAGERDUTY_API_URL (https://api.eu.pagerduty.com for the EU region)'
        : 'set PAGERDUTY_API_TOKEN to a REST API key of the account that sends the webhooks';
    return { name: NAME, status: 'fail', value: abilities.failure.reason, remedy };
  }
  if (from !== undefined) return checkSigner(api, from, signal);
  const me = await api.get('/users/me', Me, signal);
  if (me.ok)
    return { name: NAME, status: 'ok', value: `key of ${me.body.user.name ?? me.body.user.email ?? 'a user'}` };
  return {
    name: NAME,
    status: 'fail',
    value: 'the key is taken, but belongs to no user: notes will be refused',
    remedy: 'set PAGERDUTY_FROM to the e-mail address of the PagerDuty user who is to sign notes',
  };
}

async function checkSigner(api: JsonApi, from: string, signal: AbortSignal): Promise<CheckResult> {
  const users = await api.get(`/users?query=${encodeURIComponent(from)}`, Users, signal);
  if (!users.ok) {
    const remedy = 'let the key read users, so that PAGERDUTY_FROM can be checked';
    return {
      name: NAME,
      status: 'warn',
      value: `the key is taken; ${from} was not looked up: ${users.failure.reason}`,
      remedy,
    };
  }
  const user = users.body.users.find(({ email }) => email.toLowerCase() === from.toLowerCase());
  if (user !== undefined)
    return { name: NAME, status: 'ok', value: `notes are signed by ${user.name ?? from} (${from})` };
  const remedy = 'set PAGERDUTY_FROM to the e-mail address of a PagerDuty user';
  return { name: NAME, status: 'fail', value: `no PagerDuty user has the address ${from}`, remedy };
}
