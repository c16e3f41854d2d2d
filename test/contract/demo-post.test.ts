import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { investigateOnce } from '../../src/app/investigate-once.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { outlineOf } from '../../src/destinations/report-outline.ts';
import type { Message } from '../../src/destinations/slack/blocks.ts';
import { renderPost, type Post } from '../../src/destinations/slack/render.ts';
import { textOf } from '../../src/destinations/outline.ts';
import type { DeliveryContent } from '../../src/domain/delivery.ts';
import { makeIncident } from '../support/delivery-content.ts';
import type { SlackMessage } from '../support/slack-api.ts';
import { seenLines, seenText } from '../support/slack-text.ts';

/** About what a window shows without scrolling. */
const FIRST_SCREEN = 30;

const asSent = (message: Message) => JSON.parse(JSON.stringify(message)) as SlackMessage;

/** What the first user sees: the incident of `npm run demo`, as the analyst reports it. */
describe('D4: the post about the demo incident', () => {
  let stateDir = '';
  let content: DeliveryContent;
  let post: Post;
  let text = '';

  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'rn-demo-'));
    const { report } = await investigateOnce(parseConfig({ STATE_DIR: stateDir }), {
      recording: 'demo/recording',
      offline: true,
      onProgress: () => undefined,
      signal: new AbortController().signal,
    });
    const startsAtMs = Date.parse(report.incident.startsAt);
    const generatedAt = new Date(startsAtMs + 8000).toISOString();
    const incident = makeIncident({ startsAtMs, alertCount: 1, labels: report.incident.labels, annotations: {} });
    content = { kind: 'report', incident, report: { ...report, generatedAt } };
    post = renderPost(content, 'in the thread');
    text = seenText(asSent(post.root));
  });
  afterAll(() => rm(stateDir, { recursive: true }));

  test('verdict, confidence, evidence, actions and gaps stand on the first screen', () => {
    for (const told of [
      'Root cause: `payments` · connection exhaustion · confidence high',
      'db_pool_max changed from 16 to 2, 30 s before the alert',
      'Affected: payments → checkout → storefront',
      'L1 log, 21:48:16 (24 s before): New error "connection pool exhausted: no connection to ledger-db within 2000 ms',
      'Revert the change of payments: db_pool_max changed from 16 to 2 (R2, changes what runs, needs approval)',
      'no model: ',
    ]) {
      expect(text).toContain(told);
    }
    expect(text).toMatch(/Started: 21:48:40 UTC, 2026-11-29$/m);
    expect(seenLines(asSent(post.root))).toBeLessThanOrEqual(FIRST_SCREEN);
  });

  test('the first two lines of the notification are the alert and the verdict', () => {
    const [first, second] = post.root.text.split('\n');
    expect(first).toBe('🔴 FIRING · StorefrontLatencyHigh · storefront');
    expect(second).toMatch(/^Root cause: payments · connection exhaustion · confidence high \(0\.\d\d\)$/);
  });

  test('nothing is told in words of ours alone, nor twice in a line, nor counted wrongly', () => {
    const all = [post.root, ...post.replies].map((message) => seenText(asSent(message))).join('\n');
    expect(all).not.toMatch(/<[*∗]>|\b1 alerts\b|\bis the likely root cause\b|Alerts: 1\b/);
    expect(all).not.toMatch(/\b(\w{3,}) \1\b/);
    expect(text).not.toMatch(/(\d+ s before)[^\n]*\1 the alert/);
  });

  test('every id that is named is the id of evidence that is told', () => {
    const known = new Set(content.report.evidence.map(({ id }) => id));
    const { lead, sections } = outlineOf(content);
    const lines = [
      ...lead,
      ...sections.flatMap(({ entries }) => entries.flatMap(({ line, below }) => [line, ...below])),
    ];
    const named = lines.flatMap((line) => textOf(line).match(/\b[MLEOCT]\d{1,2}\b/g) ?? []);
    expect(named.length).toBeGreaterThan(known.size);
    expect(named.filter((id) => !known.has(id))).toEqual([]);
  });
});
