import { guessableGuards } from '../config/doubts.ts';
import type { UnknownVariable } from '../config/misspelled.ts';
import type { Config } from '../config/schema.ts';
import type { CheckResult } from '../domain/check-result.ts';
import { assertSafeToListen, UnsafeListenError } from '../http/authorize.ts';
import { PAGERDUTY_SOURCE } from '../domain/pagerduty.ts';
import { requireFreeAddress } from '../http/require-free-address.ts';
import type { Source } from '../sources/source.ts';
import { abortAfter } from '../domain/deadline.ts';

/** Where alerts come in, and whether `rootnote all` could listen there now. */
export async function checkInbound(
  config: Config,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<CheckResult> {
  const name = 'inbound';
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  const address = config.PORT === 0 ? `${host}, a free port` : `${host}:${config.PORT}`;
  try {
    assertSafeToListen(config, sources, guessableGuards(config));
  } catch (error) {
    if (!(error instanceof UnsafeListenError)) throw error;
    return { name, status: 'fail', value: `${address}: no role that receives starts`, remedy: error.message };
  }
  const problem = await problemOf(config.HOST, config.PORT);
  if (problem === undefined) return { name, status: 'ok', value: `${address} is free` };
  if (problem === 'EADDRINUSE' && (await isRootnote(config, signal)))
    return { name, status: 'ok', value: `${address} is served by a running Rootnote` };
  return problem === 'EADDRINUSE'
    ? { name, status: 'fail', value: `${address} is used by another program`, remedy: 'Set PORT to another port.' }
    : { name, status: 'fail', value: `${address} cannot be listened on (${problem})`, remedy: 'Check HOST and PORT.' };
}

/** Who may send alerts, and what each has to show. */
export function checkSources(sources: readonly Source[], config: Pick<Config, 'PAGERDUTY_API_TOKEN'>): CheckResult {
  const value = sources
    .map(({ name, auth }) => `${name}: ${auth.kind === 'open' ? 'open, anybody may send' : auth.how}`)
    .join('; ');
  const isBlind = sources.some(({ name }) => name === PAGERDUTY_SOURCE) && config.PAGERDUTY_API_TOKEN === undefined;
  const remedies = [
    ...sources.flatMap(({ auth }) => (auth.kind === 'open' ? [`${auth.remedy}.`] : [])),
    ...(isBlind
      ? ['Set PAGERDUTY_API_TOKEN (read-only is enough): without it an investigation knows title and service alone.']
      : []),
  ];
  if (remedies.length === 0) return { name: 'sources', status: 'ok', value };
  const blind = isBlind ? '; the alerts behind an incident of PagerDuty are not read' : '';
  return { name: 'sources', status: 'warn', value: `${value}${blind}`, remedy: remedies.join(' ') };
}

/** Undefined when the address can be had, or the code of the error. */
function problemOf(host: string, port: number): Promise<string | undefined> {
  return requireFreeAddress(host, port).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
}

/** Whether the metrics at this address are ours. */
async function isRootnote({ HOST, PORT }: Config, signal: AbortSignal): Promise<boolean> {
  // To listen on every address is no address to ask.
  const host = HOST === '0.0.0.0' ? '127.0.0.1' : HOST === '::' ? '[::1]' : HOST.includes(':') ? `[${HOST}]` : HOST;
  try {
    const limit = abortAfter(signal, 2000);
    const response = await fetch(`http://${host}:${PORT}/metrics`, { signal: limit });
    return (await response.text()).includes('rootnote_');
  } catch {
    return false;
  }
}

/** Slack, where it is not a destination; undefined where it is one and answers for itself. */
export function slackOff(config: Config): CheckResult | undefined {
  if (config.SLACK_BOT_TOKEN ?? config.SLACK_WEBHOOK_URL) return undefined;
  if (config.SLACK_CHANNEL === undefined)
    return { name: 'slack', status: 'off', value: 'neither SLACK_BOT_TOKEN nor SLACK_WEBHOOK_URL is set' };
  return {
    name: 'slack',
    status: 'warn',
    value: 'SLACK_CHANNEL is set, but nothing is posted: there is no SLACK_BOT_TOKEN',
    remedy: 'Set SLACK_BOT_TOKEN, or unset SLACK_CHANNEL.',
  };
}

/** Variables that no setting reads; undefined when there are none. */
export function unknownSettings(unknown: readonly UnknownVariable[]): CheckResult | undefined {
  if (unknown.length === 0) return undefined;
  const guesses = unknown.flatMap(({ name, meant }) => (meant ? [`${name}: did you mean ${meant}?`] : []));
  const others = unknown.some(({ meant }) => meant === undefined) ? ['See docs/configuration.md for the names.'] : [];
  return {
    name: 'settings',
    status: 'warn',
    value: `no setting has the name ${unknown.map(({ name }) => name).join(', ')}`,
    remedy: [...guesses, ...others].join(' '),
  };
}
