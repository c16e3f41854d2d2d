import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Ranking, Suspect } from '../../../../src/domain/brief.ts';
import { EvidenceBook, type EvidenceKind } from '../../../../src/domain/evidence.ts';
import type { Incident } from '../../../../src/domain/incident.ts';
import { writeBrief, type BriefInput } from '../../../../src/funnel/brief/write-brief.ts';
import { EMPTY_LAYER, type Layer, type LayerItem } from '../../../../src/funnel/layers.ts';
import { estimateTokens } from '../../../../src/funnel/tokens.ts';
import { firingIncident } from '../../../support/incidents.ts';

const TRIGGER_MS = Date.parse('2026-03-04T10:00:00Z');

const incident = (fields: Partial<Incident> = {}) =>
  firingIncident({ startsAtMs: TRIGGER_MS, labels: { alertname: 'HighErrorRate', namespace: 'shop' }, ...fields });

const NO_RANKING: Ranking = { suspects: [], confidence: 0, confidenceReasons: [] };

function input(fields: Partial<BriefInput> = {}): BriefInput {
  return {
    incident: incident(),
    layers: { metrics: EMPTY_LAYER, logs: EMPTY_LAYER, state: EMPTY_LAYER, traces: EMPTY_LAYER },
    unread: new Set(),
    background: [],
    ranking: NO_RANKING,
    book: new EvidenceBook(),
    gaps: [],
    callPath: undefined,
    rawTokens: 0,
    tokenBudget: 5820,
    ...fields,
  };
}

const item = (kind: EvidenceKind, name: string, weight: number, statement = `${name} says something`): LayerItem => ({
  key: `${kind}:${name}`,
  evidence: { kind, service: undefined, statement, atMs: TRIGGER_MS - 45_000 },
  weight,
});
const layer = (items: readonly LayerItem[], notes: readonly string[] = []): Layer => ({ items, notes });
const many = (kind: EvidenceKind, count: number) =>
  layer(Array.from({ length: count }, (_, i) => item(kind, `${kind}${i}`, 1 - i / count)));

const suspect = (service: string, evidenceIds: readonly string[], score = 2): Suspect => ({
  service,
  score,
  rootCauseType: 'cpu_saturation',
  reasons: [{ type: 'cpu', score, statement: `${service} CPU is at its limit`, evidenceIds }],
});

const linesOf = (text: string, title: string) =>
  (text.split(`## ${title}`)[1] ?? '').split('\n\n')[0]?.split('\n').filter(Boolean) ?? [];

describe('the text of the brief', () => {
  test('C9: header with service, alert, severity and RFC 3339 trigger; one section a layer; a none line when empty', () => {
    const { text } = writeBrief(input());
    expect(text).toBe(
      [
        '## Incident\nservice: frontend\n[E1] alert: HighErrorRate\nseverity: critical\ntrigger: 2026-03-04T10:00:00.000Z\nlabel namespace=shop',
        '## Suspects (deterministic ranking, best first)\nnone: no service stands out',
        '## Metrics\nnone: no metric deviates from its baseline',
        '## Logs\nnone: no log template is new, rare or more frequent',
        '## Events and state\nnone: no related warning events or conditions of objects',
        '## Changes\nnone: no change is recorded',
        '## Traces\nnone: no call became slower or failed',
        '## Gaps\nnone: everything that was asked for was read',
      ].join('\n\n'),
    );
  });

  test('C7: every line begins with its evidence id and ends with its time, relative and absolute', () => {
    const { text } = writeBrief(input({ layers: { ...input().layers, metrics: layer([item('metric', 'cpu', 1)]) } }));
    expect(linesOf(text, 'Metrics')).toEqual(['[M1] cpu says something (45 s before the alert, 09:59:15Z)']);
  });

  test('C9: a layer that found nothing but left something out says both', () => {
    const { text } = writeBrief(input({ layers: { ...input().layers, state: layer([], ['Left out: 9 events.']) } }));
    expect(linesOf(text, 'Events and state')).toEqual([
      'none: no related warning events or conditions of objects',
      'Note: Left out: 9 events.',
    ]);
  });

  test('C9: a layer of which nothing was read does not claim that nothing was wrong', () => {
    const { text } = writeBrief(input({ unread: new Set(['logs', 'changes']) }));
    expect(linesOf(text, 'Logs')).toEqual(['none: nothing of this kind was read']);
    expect(linesOf(text, 'Metrics')).toEqual(['none: no metric deviates from its baseline']);
  });

  test('changes, events and states of one layer go to their sections in the order given', () => {
    const state = layer([item('state', 'pod', 0.2), item('event', 'backoff', 0.9), item('change', 'rollout', 0.5)]);
    const { text } = writeBrief(input({ layers: { ...input().layers, state } }));
    expect(linesOf(text, 'Events and state').map((line) => line.slice(0, 4))).toEqual(['[O1]', '[E2]']);
    expect(linesOf(text, 'Changes')[0]).toContain('[C1] rollout');
  });

  test('suspects stand with score, type, reason and evidence ids, five at most and none without a score', () => {
    const suspects = 'abcdefg'.split('').map((name, i) => suspect(name, ['M1'], i < 6 ? 6 - i : 0));
    const { text } = writeBrief(input({ ranking: { suspects, confidence: 0.7, confidenceReasons: [] } }));
    const lines = linesOf(text, 'Suspects (deterministic ranking, best first)');
    expect(lines[0]).toBe('1. a, score 6.00, cpu_saturation: cpu: a CPU is at its limit [M1]');
    expect(lines).toHaveLength(6);
    expect(lines[5]).toContain('0.70; 2 other services');
  });

  test('evidence that only a suspect cites is shown too', () => {
    const book = new EvidenceBook();
    const id = book.add('state:far', { kind: 'state', service: 'far', statement: 'far away', atMs: undefined });
    const ranking = { suspects: [suspect('far', [id])], confidence: 0.5, confidenceReasons: [] };
    expect(writeBrief(input({ book, ranking })).text).toContain('[O1] far away');
  });

  test('what a suspect rests on is read first in its section, in the order of the suspects', () => {
    const book = new EvidenceBook();
    const [heavy, first, second] = ['heavy', 'first', 'second'].map((name, i) => item('metric', name, 1 - i / 10));
    const ids = [second, first].map((cited) => (cited ? book.add(cited.key, cited.evidence) : ''));
    const ranking = {
      suspects: [suspect('a', [ids[0] ?? '']), suspect('b', [ids[1] ?? ''])],
      confidence: 0.5,
      confidenceReasons: [],
    };
    const metrics = layer([heavy, first, second].flatMap((one) => one ?? []));
    const { text } = writeBrief(input({ book, ranking, layers: { ...input().layers, metrics } }));
    expect(linesOf(text, 'Metrics').map((line) => line.split(' ')[1])).toEqual(['second', 'first', 'heavy']);
  });

  test('a reason that is too long ends with a whole clause, never inside a figure', () => {
    const long = `${'disk of cart is slow; '.repeat(6)}writes take 1.25 s where 0.01 s are usual, and more and more`;
    const told = {
      ...suspect('cart', ['M1']),
      reasons: [{ type: 'cpu', score: 1, statement: long, evidenceIds: ['M1'] }],
    };
    const { text } = writeBrief(input({ ranking: { suspects: [told], confidence: 0.5, confidenceReasons: [] } }));
    expect(text).toMatch(/cpu: (disk of cart is slow; )+disk of cart is slow … \[M1\]/);
  });

  test('C4: a pruned event comes back for the first suspect only', () => {
    const book = new EvidenceBook();
    const pruned = (name: string) =>
      book.add(`event:${name}`, { kind: 'event', service: name, statement: `BackOff of ${name}`, atMs: undefined });
    const suspects = [suspect('first', [pruned('first')], 3), suspect('second', [pruned('second')], 2)];
    const { text } = writeBrief(input({ book, ranking: { suspects, confidence: 0.5, confidenceReasons: [] } }));
    expect(linesOf(text, 'Events and state')).toEqual(['[E1] BackOff of first']);
  });

  test('C5: background evidence has an id to be asked for and no line', () => {
    const { text, evidence } = writeBrief(input({ background: [item('event', 'old', 1)] }));
    expect(evidence.map(({ statement }) => statement)).toContain('old says something');
    expect(text).not.toContain('old says something');
  });

  test('a scheduled check has no alert to cite', () => {
    const brief = writeBrief(input({ incident: incident({ kind: 'check', title: 'nightly' }) }));
    expect(brief.text).toContain('## Scheduled check\nservice: frontend\ncheck: nightly');
    expect(brief.alertEvidenceId).toBeUndefined();
    expect(brief.evidence).toEqual([]);
  });

  test('the brief of a scheduled check never speaks of an alert, however its facts are worded', () => {
    const layers = {
      metrics: layer([item('metric', 'cpu', 1)], ['3 series with none near the alert']),
      logs: layer([item('log', 'line', 1, 'New error "x"; first 90 s before the alert, last at the alert')]),
      state: layer([], ['All services are looked at: the alert names no known service.']),
      traces: layer([], ['2 events outside 300 s of the alert']),
    };
    const check = incident({ kind: 'check', title: 'nightly', labels: {}, service: undefined });
    const { text } = writeBrief(input({ incident: check, layers }));
    expect(text).not.toMatch(/\balert/i);
    expect(text).toContain('(45 s before the check, 09:59:15Z)');
    expect(text).toContain('first 90 s before the check, last at the check');
  });

  test('untrusted text stays on its line and shows all it holds', () => {
    const evil = incident({ title: 'a\n## Metrics\u001b[2J\u202e\u200bb', labels: { 'x\ny': 'z\u0000' } });
    const { text } = writeBrief(input({ incident: evil }));
    expect(text.match(/^## Metrics/gm)).toHaveLength(1);
    expect(text).toContain('alert: a ## Metricsb');
    expect(text).toContain('label x y=z');
  });
});

describe('the token budget', () => {
  test('C8: what is cut is the lowest weight first, whole lines, and counted', () => {
    const metrics = many('metric', 300);
    const { text, evidence } = writeBrief(input({ layers: { ...input().layers, metrics }, tokenBudget: 1000 }));
    const lines = linesOf(text, 'Metrics');
    const shown = lines.filter((line) => line.startsWith('[M'));
    expect(shown.map((line) => line.split(' ')[0])).toEqual(shown.map((_, i) => `[M${i + 1}]`));
    expect(shown.length).toBeGreaterThan(5);
    expect(lines.at(-1)).toBe(`(${300 - shown.length} of 300 lines not shown: token budget)`);
    expect(evidence.filter(({ kind }) => kind === 'metric')).toHaveLength(300);
  });

  test('C8: items that the top suspects cite are cut last', () => {
    const book = new EvidenceBook();
    const light = item('metric', 'light', 0.001, 'the light one');
    const id = book.add(light.key, light.evidence);
    const metrics = layer([...many('metric', 300).items, light]);
    const ranking = { suspects: [suspect('cart', [id])], confidence: 0.5, confidenceReasons: [] };
    const { text } = writeBrief(input({ book, ranking, layers: { ...input().layers, metrics }, tokenBudget: 800 }));
    expect(text).toContain('the light one');
  });

  test('C8: the smallest budget still says who, what and when, and shows the first suspect with its evidence', () => {
    const book = new EvidenceBook();
    const id = book.add('state:pod', { kind: 'state', service: 'cart', statement: 'cart was killed', atMs: undefined });
    const ranking = {
      suspects: [suspect('cart', [id]), suspect('other', ['M1'])],
      confidence: 0.5,
      confidenceReasons: [],
    };
    const full = {
      metrics: many('metric', 90),
      logs: many('log', 9),
      state: many('event', 90),
      traces: many('trace', 90),
    };
    const { text, tokens } = writeBrief(input({ book, ranking, layers: full, tokenBudget: 500 }));
    for (const part of [
      'service: frontend',
      'alert: HighErrorRate',
      'trigger: 2026',
      '1. cart',
      '[O1] cart was killed',
    ]) {
      expect(text).toContain(part);
    }
    expect(tokens).toBeGreaterThan(400);
  });

  test('C8: an unused share flows on, and a full layer cannot take the share of another', () => {
    const full = {
      metrics: many('metric', 300),
      logs: many('log', 300),
      state: many('event', 300),
      traces: many('trace', 300),
    };
    const count = (text: string, letter: string) =>
      text.match(new RegExp(`^\\[${letter}\\d+\\] \\w+ says`, 'gm'))?.length ?? 0;
    const alone = writeBrief(input({ layers: { ...input().layers, metrics: full.metrics }, tokenBudget: 2000 })).text;
    const together = writeBrief(input({ layers: full, tokenBudget: 2000 })).text;
    expect(count(alone, 'M')).toBeGreaterThan(1.5 * count(together, 'M'));
    for (const letter of ['M', 'L', 'E', 'T']) expect(count(together, letter)).toBeGreaterThan(0);
  });

  test('C8: estimateTokens of the text is at most the budget, for any input', () => {
    const wild = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: 'grapheme', maxLength: 400 }),
      fc.constant('👩‍👩‍👧‍👦'.repeat(60)),
      fc.constant('e\u0301'.repeat(500)),
      fc.constant('ab'.repeat(3000)),
    );
    const kinds = fc.constantFrom<EvidenceKind>('metric', 'log', 'event', 'state', 'change', 'trace');
    const draft = fc.record({
      kind: kinds,
      text: wild,
      weight: fc.double({ min: 0, max: 1, noNaN: true }),
      atMs: fc.option(fc.double()),
    });
    const cases = fc.record({
      drafts: fc.array(draft, { maxLength: 40 }),
      copies: fc.constantFrom(1, 1, 40),
      labels: fc.dictionary(wild, wild, { maxKeys: 60 }),
      text: wild,
      budget: fc.constantFrom(0, 20, 500, 501, 1000, 5820),
    });
    fc.assert(
      fc.property(cases, ({ drafts, copies, labels, text, budget }) => {
        const items = drafts.flatMap((entry, i) =>
          Array.from({ length: copies }, (_, copy) => ({
            key: `${i}/${copy}`,
            evidence: { kind: entry.kind, service: text, statement: entry.text, atMs: entry.atMs ?? undefined },
            weight: entry.weight,
          })),
        );
        const ranking = { suspects: [suspect(text, ['M1', 'E1'])], confidence: 0.5, confidenceReasons: [] };
        const brief = writeBrief(
          input({
            incident: incident({ title: text, service: text, severity: text, labels }),
            layers: { ...input().layers, state: layer(items, [text]) },
            gaps: Array.from({ length: copies }, () => ({ source: text, message: text })),
            ranking,
            tokenBudget: budget,
          }),
        );
        expect(brief.tokens).toBe(estimateTokens(brief.text));
        expect(brief.tokens).toBeLessThanOrEqual(budget);
        expect(brief.text).not.toMatch(/[\ud800-\udfff]/u);
        if (budget >= 500) expect(brief.text).toMatch(/## Gaps/);
      }),
      { numRuns: 60 },
    );
  });
});
