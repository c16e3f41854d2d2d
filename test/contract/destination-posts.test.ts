import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DeliveryContent } from '../../src/domain/delivery.ts';
import { reportContent, resolvedContent, updateContent } from '../support/delivery-content.ts';
import { context } from '../support/destination-cases.ts';
import { seeMarkdown } from '../support/github/see.ts';
import { seeJira } from '../support/jira/server.ts';
import { seeNote } from '../support/pagerduty/server.ts';
import type { Seen } from '../support/stand-in/words.ts';
import { HOSTILE, hostile, huge, minimal } from '../support/ticket-reports.ts';
import { places, type Place } from '../support/destination-places.ts';

describe.each(places)('what stands at %s', (_name, open) => {
  let it: Place;
  beforeAll(async () => {
    it = await open();
  });
  afterAll(() => it.close());
  const post = async (content: DeliveryContent, handle?: Readonly<Record<string, string>>): Promise<Seen> => {
    const result = await it.destination.deliver(content, context({ handle }));
    expect(result).toMatchObject({ outcome: 'ok' });
    return it.newest();
  };

  test('verdict, confidence, evidence with links, actions that are not executed, and gaps', async () => {
    const { text, links, acts } = await post(reportContent({}, it.incident));
    for (const told of [
      'Root cause: orders-db · connection exhaustion · confidence high (0.86)',
      'orders-db ran out of connections after release 812 halved its pool',
      'orders-db connections in use rose from 31 to 50 (limit 50), +61 %',
      '{app="checkout"} |= "pool exhausted"',
      'Action plan — not executed',
      'R2, changes what runs, needs approval',
      'kubectl rollout undo deploy/orders -n shop',
      'loki: timed out after 15 s',
      'payments network latency (0.12)',
      'rep_7f3a9c',
    ]) {
      expect(text).toContain(told);
    }
    expect(text.indexOf('Root cause')).toBeLessThan(text.indexOf('Severity'));
    expect(links).toContain('https://prom.example.com/graph?g0.expr=pg_stat_activity_count&g0.tab=0');
    expect(acts).toEqual([]);
    expect(text).not.toMatch(/·\s*·|\. — |\.\. /);
  });

  test('case 16: a hostile report is taken, whole, with nothing pinged, linked, drawn, closed or broken', async () => {
    const { text, links, acts } = await post(hostile(it.incident));
    expect(acts).toEqual([]);
    const ours = /^https:\/\/(?:prom\.example\.com|alerts\.example\.com|deploys\.example\.com)\//;
    expect(links.filter((href) => !ours.test(href))).toEqual([]);
    expect(text).not.toMatch(/\p{Surrogate}|(?!\n)[\p{Cc}\p{Cf}]/u);
    expect(text).toContain('@octocat');
    expect(text).toContain('fixes #12, closes acme/shop#7');
  });

  test('case 18: a huge report is taken, and says what was left out', async () => {
    const { text } = await post(huge(it.incident));
    expect(text).toContain('Root cause: orders-db · connection exhaustion · confidence high (0.86)');
    expect(text).toMatch(/Shortened to fit: \d+ entries left out, \d+ texts cut at …/);
    expect(text).toContain('Do number 1');
    expect(text).toContain('gap 1');
    expect(text).toMatch(/\d+ more of 400 left out/);
    expect(text).not.toMatch(/\p{Surrogate}/u);
  });

  test('case 18: text that grows when it is converted still fits', async () => {
    const { text } = await post(
      huge(it.incident, '**bold** [link](https://e.example/a_b) `code` | cell | {x} "y" \\ '.repeat(12)),
    );
    expect(text).toContain('Shortened to fit');
    expect(text).toContain('confidence high (0.86)');
  });

  test('case 18: text of which each character takes three bytes still fits', async () => {
    const { text } = await post(huge(it.incident, '火山'.repeat(400)));
    expect(text).toContain('Shortened to fit');
    expect(text).toContain('confidence high (0.86)');
  });

  test('case 07: a minimal report is taken, with no empty text', async () => {
    const { text } = await post(minimal(it.incident));
    expect(text).toContain('alert without a name');
    expect(text).toContain('Not determined.');
    expect(text).toContain('rep_7f3a9c');
    expect(text).not.toMatch(/Why:|The alert says/);
  });

  test('case 17: a long title of several lines becomes one short line, and stands whole in the text', async () => {
    const report = reportContent().report;
    const title = `line one\nline two\ttab ${'T'.repeat(270)}`;
    const { text } = await post(reportContent({ incident: { ...report.incident, title } }, it.incident));
    expect(text).toContain('line one line two tab');
    const shown = it.title?.();
    if (shown === undefined) return;
    expect(shown.length).toBeLessThanOrEqual(255);
    // eslint-disable-next-line no-control-regex
    expect(shown).not.toMatch(/[\u0000-\u001f]/);
    expect(shown.endsWith('…')).toBe(true);
  });

  test('case 16: a title is cut between characters, wherever the limit falls', async () => {
    const report = reportContent().report;
    for (const length of [148, 149, 150, 248, 249, 250, 253, 254, 255]) {
      const title = `${'x'.repeat(length)}👩‍💻tail`;
      const { text } = await post(reportContent({ incident: { ...report.incident, title } }, it.incident));
      expect(`${it.title?.() ?? ''}${text}`).not.toMatch(/\p{Surrogate}|\u200d…/u);
    }
  });

  test('an update says its news first, and all of a report that is new; a resolve says how long it took', async () => {
    const first = await it.destination.deliver(reportContent({}, it.incident), context());
    const handle = first.outcome === 'ok' ? first.handle : undefined;
    const { text } = await post(updateContent({ root_cause_service: 'payments' }, it.incident), handle);
    expect(text.indexOf('Update: the leading suspect changed')).toBeGreaterThan(0);
    expect(text.indexOf('Update: ')).toBeLessThan(text.indexOf('Root cause: payments'));
    if (!it.destination.tells.includes('resolved')) return;
    expect(text).not.toContain('Evidence');
    const other = await post(updateContent({ generatedAt: '2026-11-29T10:09:00.000Z' }, it.incident), handle);
    expect(other.text).toContain('Evidence');
    const resolved = await post(resolvedContent({}, it.incident), handle);
    expect(resolved.text).toContain('🟢 RESOLVED after 12 min · CheckoutErrorsHigh · checkout');
    expect(resolved.text).toContain('Root cause: orders-db');
    expect(resolved.text).not.toContain('Evidence');
  });
});

test('the hostile text holds what it is there for', () => {
  expect(HOSTILE).toMatch(/@octocat.*#12.*\[click here\]\(https.*\{code\}.*www\..*--> <!--/s);
  const { acts } = seeMarkdown(HOSTILE);
  expect(acts.length).toBeGreaterThan(5);
  expect(seeJira(HOSTILE).acts.length).toBeGreaterThan(5);
  expect(seeNote({ id: '1', content: HOSTILE }).links.length).toBeGreaterThan(3);
});
