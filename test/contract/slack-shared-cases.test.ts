import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createSlackDestination } from '../../src/destinations/slack/slack-destination.ts';
import { oneLine } from '../../src/policy/untrusted.ts';
import { makeReport, reportContent } from '../support/delivery-content.ts';
import { context } from '../support/destination-cases.ts';
import { describeIfShared, namesIn, sharedFolder } from '../support/shared-cases.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';
import { effectsOf, seenText } from '../support/slack-text.ts';

const CASES = 'webhooks/cases';

interface Sample {
  readonly title: string;
  readonly root_cause: string;
  readonly evidence: readonly { readonly text: string }[];
  readonly labels?: Readonly<Record<string, string>>;
}

const folders = ['13-slack-section-3001', '14-slack-blocks-total', '15-slack-escape-and-mention', '16-surrogate-cut'];
const samples = folders.flatMap((folder) =>
  namesIn(join(CASES, folder), /^report.*\.json$/).map((name) => [folder, name] as const),
);

function contentOf(sample: Sample) {
  const base = makeReport();
  const evidence = sample.evidence.map(({ text }, index) => ({
    id: `L${index + 1}`,
    kind: 'log' as const,
    statement: text,
    at: '2026-11-29T09:59:00.000Z',
    relative: '60 s before the alert',
    query: null,
    link: null,
  }));
  const incident = { ...base.incident, title: sample.title };
  return reportContent({ incident, summary: sample.root_cause, evidence }, { labels: sample.labels ?? {} });
}

describeIfShared(CASES)('shared cases in Slack', () => {
  let api: SlackApiServer;
  beforeEach(async () => {
    api = await startSlackApi();
  });
  afterEach(() => api.close());

  test.each(samples)('case %s: %s is taken at the first try, whole, and does nothing', async (folder, name) => {
    const sample = JSON.parse(readFileSync(join(sharedFolder(CASES), folder, name), 'utf8')) as Sample;
    const options = { apiUrl: api.apiUrl, botToken: api.token, channel: api.channel };
    expect(await createSlackDestination(options).deliver(contentOf(sample), context())).toMatchObject({
      outcome: 'ok',
    });
    const [root] = api.roots();
    const told = api.messages.filter(({ files }) => files === undefined);
    expect(root?.blocks.length).toBeGreaterThan(3);
    const text = told.map((message) => seenText(message)).join('\n');
    expect(text).toContain(oneLine(sample.root_cause).slice(-8));
    const left = sample.evidence.length - (root ? (seenText(root).match(/^• L\d+ log/gm) ?? []).length : 0);
    if (left > 0) expect(text).toContain(`+ ${left} more in the thread`);
    for (const message of told) {
      expect(effectsOf(message).pings).toEqual([]);
      expect(JSON.stringify(message.blocks)).not.toMatch(/<[!@#]|&amp;amp;|```/);
    }
  });
});
