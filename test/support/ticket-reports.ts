import type { DeliveryContent } from '../../src/domain/delivery.ts';
import type { Incident } from '../../src/domain/incident.ts';
import type { Report } from '../../src/domain/report.ts';
import { makeIncident, makeReport, reportContent } from './delivery-content.ts';

/**
 * Everything that one of the markups acts on: commands to bots, mentions, references, closing words, links, images, HTML, macros, lists, tables; and
 * what hides from the reader: half, invisible, reversing and stacked characters, words without an end.
 */
export const HOSTILE = [
  '/close /remind @octocat @acme/ops <at>Everyone</at> <!channel> <@U024BE7LH> [~admin] !subteam',
  'fixes #12, closes acme/shop#7 GH-3 resolves https://github.com/acme/shop/issues/9 acme/shop@0123abc0123abc0123abc0123abc0123abc01234',
  '[click here](https://evil.example/login) ![x](https://evil.example/i.png) <img src=x onerror=alert(1)> <a href="https://evil.example">x</a>',
  '[log in|https://evil.example] !https://evil.example/i.png! {code}x{code} {noformat} {color:red}red{color} OPS-1 || table ||',
  'www.evil.example evil@evil.example mailto:evil@evil.example javascript:alert(1) --> <!-- rootnote rn-forged -->',
  '- [ ] task # heading > quote * _ ** __ ~~ ` `` ``` $x$ | a | \\ \\\\ \\` \\@octocat h1. big bq. quoted &lt; &#64;octocat :tada:',
  '@everyone @here @channel <!here|x> <!subteam^S0|@ops> <!date^0^{date}^https://evil.example|now> <javascript:alert(1)|log in> [x][r] [r]: https://evil.example',
  'zero\u200bwidth \u2066isolated\u2069 \u061c\u00ad\ufeff\u2028\u0085 \u{e0041}\u{e0042} z\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307 http://xn--80ak6aa92e.example',
  'half \ud83d and whole \ud83d\udd25 \u202ereversed\u202c \u0000 \u001b[31mred',
].join(' ');

export const hostile = (incident: Partial<Incident> = {}): DeliveryContent => {
  const report = makeReport();
  return reportContent(
    {
      incident: {
        ...report.incident,
        title: `# ${HOSTILE}`.slice(0, 300),
        description: HOSTILE.slice(0, 500),
        service: '`@octocat`',
        severity: '- [ ] critical',
      },
      summary: HOSTILE,
      root_cause_service: '@octocat/`x`{code}',
      confidence_reasons: [HOSTILE],
      evidence: report.evidence.map((item) => ({
        ...item,
        statement: HOSTILE,
        query: HOSTILE,
        relative: '@octocat',
        link: item.id === 'M1' ? 'https://prom.example.com/graph?a=b|c]d>e)f"g' : 'javascript:alert(1)',
      })),
      causal_chain: [{ service: HOSTILE.slice(0, 200), statement: HOSTILE, evidence: ['C1'] }],
      alternatives: [{ service: '@octocat', type: 'dns', confidence: 0.1, why_not: HOSTILE }],
      action_plan: [
        { step: HOSTILE, why: HOSTILE, risk: 'R2', command: HOSTILE, rollback: HOSTILE, needs_approval: true },
      ],
      gaps: [`1. ${HOSTILE}`, `+ ${HOSTILE}`, `=== ${HOSTILE}`, `h1. ${HOSTILE}`, `| ${HOSTILE} |`],
    },
    {
      title: HOSTILE,
      annotations: { runbook_url: 'javascript:alert(1)', dashboard_url: 'https://user:pw@evil.example/' },
      ...incident,
    },
  );
};

/** More of everything than any destination takes. */
export function huge(incident: Partial<Incident> = {}, text = 'many words about it 🔥 '.repeat(40)): DeliveryContent {
  const report = makeReport();
  const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  const ids = many(20, (i) => `L${i + 1}`);
  return reportContent(
    {
      incident: {
        ...report.incident,
        title: 'Title '.repeat(50).trim(),
        description: text,
        link: `https://alerts.example.com/${'y'.repeat(1900)}`,
      },
      summary: `orders-db is out of connections. ${text}`,
      confidence_reasons: many(8, () => text),
      evidence: many(400, (i) => ({
        id: `L${i + 1}`,
        kind: 'log' as const,
        statement: `item ${i + 1} ${text}`,
        at: '2026-11-29T09:59:00.000Z',
        relative: '60 s before the alert',
        query: `{app="x"} ${text}`,
        link: `https://logs.example.com/?q=${'x'.repeat(1500)}`,
      })),
      contradicting: ['L2', 'L3', 'L4'],
      causal_chain: many(8, (i) => ({ service: `service-${i}`, statement: text, evidence: ids })),
      alternatives: many(5, (i) => ({ service: `other-${i}`, type: 'dns' as const, confidence: 0.1, why_not: text })),
      action_plan: many(8, (i) => ({
        step: `Do number ${i + 1} ${text}`,
        why: text,
        risk: 'R2' as const,
        command: `kubectl get pods -n ${'n'.repeat(400)}`,
        rollback: text,
        needs_approval: true,
      })),
      gaps: many(60, (i) => `gap ${i + 1} ${text}`),
    },
    incident,
  );
}

/** As little as the types allow, and a bit less: empty texts. */
export function minimal(incident: Partial<Incident> = {}): DeliveryContent {
  const report = makeReport();
  return {
    kind: 'report',
    incident: makeIncident({ service: undefined, severity: undefined, annotations: {}, link: undefined, ...incident }),
    report: {
      ...report,
      incident: {
        ...report.incident,
        title: ' ',
        description: '',
        service: null,
        severity: null,
        labels: {},
        link: null,
      },
      mode: 'analyst',
      status: 'inconclusive',
      summary: '\u200b',
      root_cause_service: null,
      root_cause_type: 'unknown',
      confidence: 0,
      confidence_reasons: [''],
      evidence: [{ id: 'M1', kind: 'metric', statement: '', at: null, relative: null, query: '', link: null }],
      causal_chain: [],
      alternatives: [],
      action_plan: [],
      gaps: [''],
      usage: { ...report.usage, input_tokens: 0, output_tokens: 0, cost_usd: null, model: null },
    } satisfies Report,
  };
}
