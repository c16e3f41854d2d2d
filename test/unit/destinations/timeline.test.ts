import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { layOut } from '../../../src/destinations/timeline/layout.ts';
import { renderTimeline } from '../../../src/destinations/timeline/render-timeline.ts';
import { timelineSvg } from '../../../src/destinations/timeline/timeline-svg.ts';
import type { Report } from '../../../src/domain/report.ts';
import { ALERT_AT, makeReport } from '../../support/delivery-content.ts';

const item = (id: string, offsetMs: number, statement: string): Report['evidence'][number] => ({
  id,
  kind: 'metric',
  statement,
  at: new Date(ALERT_AT + offsetMs).toISOString(),
  relative: null,
  query: null,
  link: null,
});
const DRAWN = ['svg', 'rect', 'text', 'line', 'path', 'polygon', 'circle'];
const texts = (svg: string) => [...svg.matchAll(/<text [^>]*>([^<]*)</g)].map(([, content]) => content);

describe('where the evidence stands', () => {
  test('a lane a service, cause first, evidence as the causal chain cites it', () => {
    const { lanes } = layOut(makeReport());
    expect(lanes.map(({ service, points }) => [service, points.map(({ id }) => id)])).toEqual([
      ['orders-db', ['C1', 'M1']],
      ['checkout', ['L1']],
    ]);
  });

  test('what no step cites goes to the service that it names, the longest name first, or to nobody', () => {
    const evidence = [
      item('M1', -9000, 'orders-db is slow'),
      item('M2', -8000, 'orders is slow'),
      item('M3', -7000, 'a node is full'),
    ];
    const causal_chain = ['orders-db', 'orders'].map((service) => ({ service, statement: 's', evidence: [] }));
    const { lanes } = layOut(makeReport({ evidence, causal_chain }));
    expect(lanes.map(({ service, points }) => [service, points.map(({ id }) => id)])).toEqual([
      ['orders-db', ['M1']],
      ['orders', ['M2']],
      [undefined, ['M3']],
    ]);
  });

  test('arrows lead from the first evidence of each step to that of the next', () => {
    expect(layOut(makeReport()).arrows).toEqual([{ from: 'C1', to: 'L1' }]);
  });

  test('a change of last week stands at the edge and does not press the rest into a line', () => {
    const evidence = [item('M1', -60_000, 'a'), item('M2', -30_000, 'b'), item('M9', -7 * 86_400_000, 'c')];
    const { lanes, fromMs } = layOut(makeReport({ evidence, causal_chain: [] }));
    expect(fromMs).toBeGreaterThan(ALERT_AT - 600_000);
    expect(lanes.flatMap(({ points }) => points).filter(({ isBeyond }) => isBeyond)).toMatchObject([
      { id: 'M9', atMs: fromMs },
    ]);
  });

  test('neighbours in time stand in rows, and what has no place is counted', () => {
    const evidence = Array.from({ length: 60 }, (_, index) => item(`M${index}`, -60_000 - index, 'same'));
    const { lanes, omitted } = layOut(makeReport({ evidence, causal_chain: [] }));
    expect(lanes).toHaveLength(1);
    expect(lanes[0]?.rows).toBe(4);
    expect((lanes[0]?.points.length ?? 0) + omitted).toBe(60);
  });
});

describe('the picture', () => {
  test('shows alert, verdict, ids, times against the alert and what the ids mean', () => {
    const told = texts(timelineSvg(makeReport()));
    expect(told).toEqual(expect.arrayContaining(['CheckoutErrorsHigh', 'alert 10:00:00 UTC', 'C1', 'M1', 'L1']));
    expect(told.join('\n')).toContain('Root cause: orders-db · connection exhaustion · confidence high (0.86)');
    expect(told).toEqual(expect.arrayContaining(['−150 s', '−120 s', '0']));
    expect(told).toContain('Release 812 of orders set max_connections from 100 to 50');
  });

  test('is the same for the same report', () => {
    expect(timelineSvg(makeReport())).toBe(timelineSvg(makeReport()));
  });

  test('says so when there is nothing to show', () => {
    const empty = {
      evidence: [],
      causal_chain: [],
      alternatives: [],
      root_cause_service: null,
      status: 'inconclusive',
    } as const;
    expect(texts(timelineSvg(makeReport({ ...empty, evidence: [], causal_chain: [], alternatives: [] })))).toContain(
      'The report cites no evidence.',
    );
  });

  test('text cannot leave its element, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 120 }),
        fc.integer({ min: -1e9, max: 1e9 }),
        (text, at) => {
          const hostile = `</text><script>${text}&"'`;
          const base = makeReport();
          const svg = timelineSvg(
            makeReport({
              root_cause_service: hostile,
              evidence: [item('M1', at, hostile), item('M2', -at, text)],
              causal_chain: [{ service: hostile, statement: hostile, evidence: ['M1'] }],
              incident: { ...base.incident, title: hostile },
            }),
          );
          const names = [...svg.matchAll(/<\/?([a-z]+)/gi)].map(([, name]) => name);
          expect(names.filter((name) => !DRAWN.includes(name ?? ''))).toEqual([]);
          expect(svg).not.toMatch(/[\ud800-\udfff]/u);
          // eslint-disable-next-line no-control-regex
          expect(svg).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]|NaN|undefined|Infinity/);
        },
      ),
      { numRuns: 80 },
    );
  });

  test.each([
    ['typical', makeReport()],
    [
      'minimal',
      makeReport({ evidence: [], causal_chain: [], alternatives: [], action_plan: [], root_cause_service: null }),
    ],
    [
      'huge',
      makeReport({
        evidence: Array.from({ length: 400 }, (_, index) =>
          item(`M${index}`, -index * 7000, `s${index % 30} ${'x'.repeat(900)}`),
        ),
        causal_chain: Array.from({ length: 30 }, (_, index) => ({
          service: `s${index}`,
          statement: 'slow',
          evidence: [`M${index}`],
        })),
      }),
    ],
    ['of glyphs that no font has', makeReport({ summary: '日本語 😀', root_cause_service: '决策 😀 \u202e' })],
  ])('is drawn for a report that is %s', async (_name, report) => {
    const png = await renderTimeline(report);
    expect(png?.subarray(1, 4).toString()).toBe('PNG');
    expect(png?.readUInt32BE(16)).toBe(1200);
    expect(png?.readUInt32BE(20)).toBeLessThan(2000);
    expect(png?.length).toBeLessThan(500_000);
  });
});
