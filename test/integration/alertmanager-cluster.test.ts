import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startAlertmanager } from '../support/alertmanager.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import type { LoopbackProgram } from '../support/loopback-program.ts';
import { ALERTMANAGER, REDIS } from '../support/programs.ts';
import { admittedIn, type RootnoteProcess, startRootnote, stopRootnotes } from '../support/rootnote-process.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';
import { startWebhookRelay, type Relayed, type WebhookRelay } from '../support/webhook-relay.ts';

const LABELS = { alertname: 'CheckoutSlow', service: 'checkout', severity: 'critical' };
const STARTED_MS = Date.now() - 60_000;
const suite = await describeIf(REDIS, ALERTMANAGER);

suite('two Alertmanagers with one receiver', () => {
  let slack: SlackApiServer;
  let rootnote: RootnoteProcess;
  let relay: WebhookRelay;
  const peers: LoopbackProgram[] = [];

  beforeEach(async () => {
    slack = await startSlackApi();
    rootnote = await startRootnote('all', {
      LOG_LEVEL: 'debug',
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_CHANNEL: slack.channel,
    });
  }, 200_000);
  afterEach(async () => {
    await stopPeers();
    await relay.close();
    await stopRootnotes();
    await slack.close();
  });

  const standBefore = async (release?: (relayed: readonly Relayed[]) => Promise<void>) => {
    relay = await startWebhookRelay(() => rootnote.url, release);
  };

  /** Two peers; `together`: they gossip. */
  const startPeers = async ({ together }: { readonly together: boolean }) => {
    const addresses = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    const started = await Promise.all(
      addresses.map((address, index) =>
        startAlertmanager({
          webhookUrl: `${relay.url}/webhooks/alertmanager`,
          externalUrl: `http://peer-${index}.example.net`,
          cluster: {
            address,
            peers: together ? addresses.filter((other) => other !== address) : [],
            peerTimeout: '2s',
          },
        }),
      ),
    );
    peers.push(...started);
    if (!together) return;
    await eventually(
      'they see each other',
      () => Promise.all(peers.map((peer) => peersOf(peer))),
      (counts) => counts.every((count) => count === 2),
    );
  };
  const stopPeers = () => Promise.all(peers.splice(0).map((peer) => peer.stop()));
  const post = (endsAtMs: number) => Promise.all(peers.map((peer) => postAlert(peer, endsAtMs)));
  const senders = (status: string) =>
    new Set(relay.relayed.filter(({ body }) => body.status === status).map(({ body }) => body.externalURL));

  /** Lets it fire until `seen`, resolve until `seen`, and compares what came in with what was told. */
  const fireAndResolve = async (seen: (status: string) => boolean) => {
    await post(Date.now() + 3_600_000);
    await eventually('it is sent', () => seen('firing'));
    await eventually('the report is posted', () => slack.roots().length);
    await post(Date.now() - 1000);
    await eventually('its end is sent', () => seen('resolved'));
    await eventually('the thread is closed', () => closings().length);
    // A slower peer may still send what changes nothing, and what is taken in last would be left to other workers.
    await stopPeers();
    await relay.close();
    const ids = new Set(relay.relayed.map(({ answer }) => answer.id));
    const admittedHere = () => admittedIn(rootnote.output()).filter(({ arrivalId }) => ids.has(arrivalId));
    await eventually('all that came in is decided', () => admittedHere().length === relay.relayed.length);
    expect(await rootnote.terminate()).toBe(0);

    const admitted = admittedHere();
    const decisions = admitted.map(({ decision }) => decision);
    expect(decisions).toHaveLength(relay.relayed.length);
    expect(decisions.filter((decision) => decision === 'new')).toHaveLength(1);
    expect(decisions.filter((decision) => decision === 'resolved')).toHaveLength(1);
    expect(decisions.filter((decision) => decision === 'repeat')).toHaveLength(decisions.length - 2);
    expect(new Set(admitted.map(({ incidentId }) => incidentId)).size).toBe(1);
    expect(slack.roots()).toHaveLength(1);
    expect(closings()).toHaveLength(1);
  };
  const closings = () => slack.messages.filter(({ thread_ts, text }) => thread_ts && text.includes('RESOLVED'));

  test('that gossip: one incident, one report, resolved once', async () => {
    await standBefore();
    await startPeers({ together: true });
    await fireAndResolve((status) => senders(status).size >= 1);
  }, 180_000);

  test('case 05: of which one is cut off, so that both send: one incident, one report, resolved once', async () => {
    await standBefore();
    await startPeers({ together: false });
    await fireAndResolve((status) => senders(status).size === 2);
  }, 180_000);

  test('that do not get an answer in time, so that both send: one incident, one report, resolved once', async () => {
    // Answers wait until the other peer has lost its patience and sent its copy.
    await standBefore(async (relayed) => {
      const { status } = relayed.at(-1)?.body ?? {};
      await eventually('the other peer sends', () => senders(status ?? '').size === 2, Boolean, 60_000);
    });
    await startPeers({ together: true });
    await fireAndResolve((status) => senders(status).size === 2);
  }, 180_000);
});

async function peersOf({ url }: LoopbackProgram): Promise<number> {
  const status = (await (await fetch(`${url}/api/v2/status`)).json()) as { cluster: { peers?: unknown[] } };
  return status.cluster.peers?.length ?? 0;
}

/** What Prometheus does: the same alert again and again, and once more with its end. */
async function postAlert({ url }: LoopbackProgram, endsAtMs: number): Promise<void> {
  const iso = (ms: number) => new Date(ms).toISOString();
  const alert = { labels: LABELS, annotations: { summary: 'slow' }, startsAt: iso(STARTED_MS), endsAt: iso(endsAtMs) };
  const response = await fetch(`${url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([alert]),
  });
  expect(response.status).toBe(200);
}
