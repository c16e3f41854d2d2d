import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { PAGERDUTY_SECRETS } from '../../support/webhook-senders.ts';
import { createSources } from '../../../src/sources/index.ts';

const read = (file: string) => readFileSync(file, 'utf8');

describe('examples', () => {
  test('the alerts about Rootnote are those of the chart (npm run docs)', () => {
    const [, ...chart] = read('helm/files/alerts.yaml')
      .replaceAll('namespace="NAMESPACE"', 'job="rootnote"')
      .replaceAll('runbook_url: RUNBOOK', 'runbook: docs/operations.md')
      .split('\n');
    const [, ...example] = read('examples/prometheus/rootnote-alerts.yml').split('\n');
    expect(example).toEqual(chart);
  });

  test('the job that they look for is the one that is scraped, and every link leads to a heading', () => {
    const { scrape_configs: jobs } = parse(read('examples/prometheus/prometheus.yml')) as {
      readonly scrape_configs: readonly { readonly job_name: string }[];
    };
    expect(jobs.map((job) => job.job_name)).toContain('rootnote');
    const headings = [...read('docs/operations.md').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title.toLowerCase(),
    );
    const links = [...read('examples/prometheus/rootnote-alerts.yml').matchAll(/runbook: docs\/operations\.md#(\w+)/g)];
    expect(links.length).toBeGreaterThan(10);
    for (const [, anchor = ''] of links) expect(headings).toContain(anchor);
  });

  test('the subscription of PagerDuty asks for the events that are acted on, at an address that is served', () => {
    const { webhook_subscription: subscription } = JSON.parse(read('examples/pagerduty/webhook-subscription.json')) as {
      readonly webhook_subscription: {
        readonly events: readonly string[];
        readonly delivery_method: { readonly type: string; readonly url: string };
        readonly filter: { readonly type: string };
      };
    };
    const source = createSources({ PAGERDUTY_WEBHOOK_SECRETS: PAGERDUTY_SECRETS }).find(
      ({ name }) => name === 'pagerduty',
    );
    expect(new URL(subscription.delivery_method.url).pathname).toBe(`/webhooks/${source?.name}`);
    const page = read('docs/sources.md');
    for (const event of subscription.events) expect(page).toContain(`| \`${event}\``);
    expect(subscription).toMatchObject({
      type: 'webhook_subscription',
      delivery_method: { type: 'http_delivery_method' },
    });
  });
});
