import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DeliveryContent } from '../../src/domain/delivery.ts';
import type { StormSummary } from '../../src/domain/storm.ts';
import {
  firstLookContent,
  reportContent,
  resolvedContent,
  stormSummary,
  updateContent,
} from '../support/delivery-content.ts';
import { context, destinationCases } from '../support/destination-cases.ts';
import { places, slackPlace, type Place } from '../support/destination-places.ts';
import { HOSTILE } from '../support/ticket-reports.ts';

/** Not text: closed lists, times, and ids that are ours. */
const FIXED =
  /^(?:kind|status|mode|state|stage|risk|type|root_cause_type|at|startsAt|generatedAt|id|incidentId|session|evidence|supporting|contradicting|termination_reason)$/;
const PHISHING = 'https://evil.example/@octocat?a=<!channel>&b=[x](y)#12';

/** The value with every text in it hostile, and every address one that somebody else chose. */
function allHostile<T>(value: T, name = ''): T {
  if (typeof value === 'string') {
    if (/^(?:link|runbook_url|dashboard_url|externalUrl)$/.test(name)) return PHISHING as T;
    return (FIXED.test(name) ? value : `${HOSTILE} ${'W'.repeat(700)}`) as T;
  }
  // Lists of ids have the name of what they cite.
  if (Array.isArray(value))
    return value.map((item: unknown) => allHostile(item, typeof item === 'string' ? name : '')) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, allHostile(inner, key)])) as T;
}

const acknowledged = { by: 'Ada', atMs: 0 };
const revision = {
  of: {
    id: 'r',
    generatedAt: '',
    seenUntil: null,
    status: 'determined',
    root_cause_service: 'a',
    root_cause_type: 'dns',
    confidence: 1,
  },
  changes: [{ what: 'root_cause_service', from: 'a', to: 'b', statement: 'a changed', evidence: [] }],
} as never;

describe.each([slackPlace, ...places])('every text hostile, at %s', (_name, open) => {
  let it: Place;
  beforeAll(async () => {
    it = await open();
  });
  afterAll(() => it.close());

  const contents = (): readonly DeliveryContent[] => {
    const all = [
      firstLookContent(),
      reportContent({ revision }, { acknowledged, annotations: { runbook_url: 'r', dashboard_url: 'd' } }),
      updateContent({ generatedAt: '2026-11-29T10:09:00.000Z' }),
      { ...updateContent({ status: 'inconclusive' }), isNotice: true } as DeliveryContent,
      resolvedContent({ status: 'healthy' }),
    ].filter(({ kind }) => it.destination.tells.includes(kind));
    return all.map((content) => {
      const hostile = allHostile(content);
      return { ...hostile, incident: { ...hostile.incident, ...it.incident } };
    });
  };

  test('everything is taken; nothing is pinged, drawn, formatted or closed, and a link shows where it leads', async () => {
    for (const content of contents()) {
      const result = await it.destination.deliver(content, context({ marker: `rn-${content.kind}` }));
      expect([content.kind, result.outcome]).toEqual([content.kind, 'ok']);
      const { text, links, acts } = it.newest();
      expect(acts).toEqual([]);
      expect(text).not.toMatch(/\p{Surrogate}|(?!\n)[\p{Cc}\p{Cf}]/u);
      expect(new Set(links.map((href) => new URL(href).host))).toEqual(
        new Set(links.length > 0 ? ['evil.example'] : []),
      );
      // In a note the address itself is told.
      if (links.length > 0) expect(text).toMatch(/(?:·|:) (?:https:\/\/)?evil\.example/);
    }
  });

  test('a storm of hostile incidents is taken, and does nothing', async () => {
    if (!it.destination.deliverStorm) return;
    const [one] = stormSummary().investigations;
    const investigations = Array.from({ length: 200 }, () => allHostile(one));
    const storm = stormSummary({ investigations: investigations as StormSummary['investigations'] });
    const result = await it.destination.deliverStorm(storm, context({ marker: 'rn-storm' }));
    expect(result.outcome).toBe('ok');
    expect(it.newest().acts).toEqual([]);
  });
});

describe('ten thousand pieces of evidence and two hundred suspects', () => {
  const [item] = reportContent().report.evidence;
  const [other] = reportContent().report.alternatives;
  const evidence = Array.from({ length: 10_000 }, (_, index) => ({ ...item, id: `L${index + 1}`, statement: HOSTILE }));
  const alternatives = Array.from({ length: 200 }, () => ({ ...other, why_not: HOSTILE }));

  test.each(destinationCases)('are taken by %s', async (_title, _name, open) => {
    const it = await open();
    try {
      const report = { evidence, alternatives, gaps: Array.from({ length: 5000 }, () => HOSTILE) } as never;
      expect(await it.destination.deliver(reportContent(report, it.incident), context())).toMatchObject({
        outcome: 'ok',
      });
    } finally {
      await it.close();
    }
  });

  test.each([slackPlace, ...places])('what %s leaves out is counted', async (_name, open) => {
    const it = await open();
    try {
      await it.destination.deliver(reportContent({ evidence } as never, it.incident), context());
      expect(it.newest().text).toContain('only the stored report has 9500 more pieces of evidence');
    } finally {
      await it.close();
    }
  });
});
