import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { DeliveryContent } from '../../../src/domain/delivery.ts';
import type { Report } from '../../../src/domain/report.ts';
import { blockLength, messageLength, type Block, type Message } from '../../../src/destinations/slack/blocks.ts';
import { renderPost, type Post } from '../../../src/destinations/slack/render.ts';
import {
  firstLookContent,
  makeReport,
  reportContent,
  resolvedContent,
  updateContent,
} from '../../support/delivery-content.ts';

const render = (content: DeliveryContent): Post => renderPost(content, 'in the thread');
const messagesOf = ({ root, replies }: Post): readonly Message[] => [root, ...replies];
const textsOf = (block: Block): readonly string[] =>
  'elements' in block
    ? block.elements.map((part) => part.text)
    : 'fields' in block
      ? block.fields.map((part) => part.text)
      : [block.text.text];
const read = (message: Message): string => message.blocks.flatMap(textsOf).join('\n');
const readAll = (post: Post): string => messagesOf(post).map(read).join('\n');

/** Slack's documented limits, and the shape every message of ours has. */
function expectPostable(post: Post): void {
  for (const message of messagesOf(post)) {
    expect(message.text).not.toBe('');
    expect(message.blocks.length).toBeGreaterThan(0);
    expect(message.blocks.length).toBeLessThanOrEqual(45);
    expect(messageLength(message.blocks)).toBeLessThanOrEqual(12_000);
    for (const block of message.blocks) {
      for (const text of textsOf(block)) {
        expect(text.length).toBeGreaterThan(0);
        expect(text.length).toBeLessThanOrEqual(block.type === 'header' ? 150 : 2990);
        expect((text.match(/```/g) ?? []).length % 2).toBe(0);
      }
      if ('fields' in block) expect(block.fields.length).toBeLessThanOrEqual(10);
    }
    expect(JSON.stringify(message)).not.toMatch(/\\ud[89a-f]/i);
    expect(JSON.stringify(message)).not.toMatch(/[\ud800-\udfff]/u);
  }
}

const evidence = (count: number, statement: string): Report['evidence'] =>
  Array.from({ length: count }, (_, index) => ({
    id: `L${index + 1}`,
    kind: 'log' as const,
    statement: `item ${index + 1} ${statement}`,
    at: '2026-11-29T09:59:00.000Z',
    relative: '60 s before the alert',
    query: '{app="x"}',
    link: null,
  }));

describe('D4: what an on-call engineer reads first', () => {
  const post = render(reportContent());
  const text = read(post.root);

  test('a second look says first what has changed, and nothing when nothing has', () => {
    const of = {
      id: 'rep_7f3a9c',
      generatedAt: '2026-11-29T10:01:00Z',
      seenUntil: null,
      status: 'determined',
      root_cause_service: 'cart',
      root_cause_type: 'unknown',
      confidence: 0.5,
    } as const;
    const statement = 'The leading suspect was cart; now it is orders';
    const change = { what: 'root_cause_service', from: 'cart', to: 'orders', statement } as const;
    const looked = read(render(reportContent({ revision: { of, changes: [{ ...change, evidence: [] }] } })).root);
    expect(looked).toContain(`*Since the first look*\n• ${statement}`);
    expect(looked.indexOf(statement)).toBeLessThan(looked.indexOf('*Evidence*'));
    expect(read(render(reportContent({ revision: { of, changes: [] } })).root)).not.toContain('first look');
    expect(text).not.toContain('first look');
  });

  test('state, alert and service stand in the header', () => {
    expect(post.root.blocks[0]).toMatchObject({
      type: 'header',
      text: { text: '🔴 FIRING · CheckoutErrorsHigh · checkout' },
    });
  });

  test('the verdict names the cause and the confidence in words and as a number', () => {
    expect(text).toContain('*Root cause:* `orders-db` · connection exhaustion · *confidence high (0.86)*');
    expect(text).toContain('orders-db ran out of connections after release 812 halved its pool');
  });

  test("the alert's own words are quoted above the verdict, and cannot ping", () => {
    const content = reportContent();
    const incident = { ...content.report.incident, description: '5xx above 2 % <!channel>\nsee runbook' };
    const text = read(render({ ...content, report: { ...content.report, incident } }).root);
    expect(text).toContain('> 5xx above 2 % &lt;!channel&gt; see runbook\n');
  });

  test('how it came before stands above them, not in them', () => {
    const content = reportContent();
    const history = 'Second time in 2 min (before: inc_1)';
    const incident = { ...content.report.incident, description: '5xx', history };
    expect(read(render({ ...content, report: { ...content.report, incident } }).root)).toContain(`${history}\n> 5xx\n`);
  });

  test('evidence has source, time and the way to the query', () => {
    expect(text).toMatch(
      /\*M1\* metric, 09:58:00 \(120 s before\): .* · <https:\/\/prom\.example\.com\/graph\?[^|]*\|query · prom\.example\.com>/,
    );
    expect(text).toContain('`{app="checkout"} |= "pool exhausted"`');
  });

  test('gaps and other suspects are said', () => {
    expect(text).toContain('loki: timed out');
    expect(text).toContain('`payments` network latency (0.12)');
  });

  test('actions are marked as not executed, with risk, approval, command and undo', () => {
    expect(text).toContain('*Action plan — not executed* _(reasons and how to undo it in the thread)_');
    expect(text).toContain(
      '1. Roll back release 812 (R2, changes what runs, needs approval)\n     `kubectl rollout undo deploy/orders -n shop`',
    );
    const details = post.replies.map(read).join('\n');
    expect(details).toContain('Roll back release 812 — it halved the pool (R2, changes what runs, needs approval)');
    expect(details).toContain('Undo: `kubectl rollout redo`');
    expect(text.indexOf('Action plan')).toBeLessThan(text.indexOf('*Other suspects*'));
    expect(text.indexOf('*Other suspects*')).toBeLessThan(text.indexOf('*Gaps*'));
  });

  test('the risk of an action is said in words', () => {
    const [action] = makeReport().action_plan;
    const plan = [
      { ...action, risk: 'R0', needs_approval: false },
      { ...action, risk: 'R3' },
    ];
    const told = read(render(reportContent({ action_plan: plan as never })).root);
    expect(told).toContain('1. Roll back release 812 (R0, reads only)');
    expect(told).toContain('2. Roll back release 812 (R3, hard to undo, needs approval)');
  });

  test('who has taken it on, and how often it fired before, stays in the post whatever the newest news is', () => {
    const times = { times: 3, sinceMs: Date.parse('2026-11-28T10:00:00Z') };
    const acknowledged = { by: 'Ada <!here>', atMs: Date.parse('2026-11-29T10:05:00Z') };
    const told = read(render(updateContent({}, { recurs: times, flapping: times, acknowledged })).root);
    expect(told).toContain('*Fired:* 3 times since 10:00:00 UTC, 2026-11-28');
    expect(told).toContain('*Flapping:* 3 times');
    expect(told).toContain('*Acknowledged:* by Ada &lt;!here&gt;, 10:05:00 UTC, 2026-11-29');
  });

  test('the last line says who wrote the report, what it cost, and where to go', () => {
    expect(text).toContain('Report `rep_7f3a9c` · agent claude-sonnet-5-5 · 13,157 tokens ($0.04) · took 38 s');
    expect(text).toContain('<https://runbooks.example.com/a?x=1&amp;y=2|runbook · runbooks.example.com>');
  });

  test('a link that is too long for Slack leaves no separator behind', () => {
    const annotations = { runbook_url: `https://r.example/${'x'.repeat(1900)}` };
    const told = read(render(reportContent({}, { annotations })).root);
    expect(told).not.toContain('r.example');
    expect(told).toMatch(/· <[^>]*\|alert · alerts\.example\.com>$/);
  });

  test('a kind of fault that is unknown is said, and what holds the confidence down', () => {
    const reasons = ['although: cart is nearly as suspicious'];
    const told = read(render(reportContent({ root_cause_type: 'unknown', confidence_reasons: reasons })).root);
    expect(told).toContain('*Root cause:* `orders-db` · fault of unknown kind · *confidence');
    expect(told).toContain('_Why no surer:_ cart is nearly as suspicious');
  });

  test('what was seen at the alert is told as such', () => {
    const [item] = makeReport().evidence;
    const seen = [{ ...item, at: '2026-11-29T10:00:00.000Z', relative: 'at the alert' }] as Report['evidence'];
    expect(read(render(reportContent({ evidence: seen })).root)).toContain('*C1* change, 10:00:00 (at the alert): ');
  });

  test('no cause is named when none was determined', () => {
    const undetermined = read(
      render(reportContent({ status: 'inconclusive', root_cause_service: null, confidence: 0.2 })).root,
    );
    expect(undetermined).toContain('*Not determined.*');
    expect(undetermined).not.toContain('Root cause:');
    const lead = read(render(reportContent({ status: 'inconclusive', confidence: 0.3 })).root);
    expect(lead).toContain('Strongest lead: `orders-db` · connection exhaustion · *confidence low (0.30)*');
  });

  test('why the agent wrote no report is said before what could not be read', () => {
    const gaps = [
      'loki: down',
      'tempo: down',
      'kubernetes: down',
      "model: HTTP 529; this is the offline analyst's report",
    ];
    const told = read(render(reportContent({ mode: 'analyst', gaps })).root);
    expect(told).toContain("• model: HTTP 529; this is the offline analyst's report\n• loki: down");
    expect(told).toContain('*Gaps* _(+ 1 more in the thread)_');
  });

  test('D7: a report without a model says so', () => {
    expect(read(render(reportContent({ mode: 'analyst' })).root)).toContain('offline analyst, no model');
  });

  test('a resolved incident is green and says how long it took', () => {
    expect(read(render(resolvedContent()).root)).toContain('🟢 RESOLVED after 12 min · CheckoutErrorsHigh');
  });

  test('a check without findings is no alarm', () => {
    const check = render(reportContent({ kind: 'check', status: 'healthy' }, { kind: 'check' }));
    expect(read(check.root)).toContain('✅ CHECK OK');
  });

  test('a cut list of alerts is stated, one alert is not', () => {
    expect(read(render(reportContent({}, { truncatedAlerts: 7 })).root)).toContain('3 (7 more cut off by the sender)');
    expect(read(render(reportContent({}, { alertCount: 1 })).root)).not.toContain('Alerts:');
  });

  test('a telephone shows the alert and the verdict; that more is to come can wait, what is new cannot', () => {
    const cause = 'Root cause: orders-db · connection exhaustion · confidence high (0.86)';
    const shown = (content: DeliveryContent) => render(content).root.text.split('\n').slice(1, 3);
    expect(shown(firstLookContent())).toEqual([cause, '🔎 First look, the agent is still investigating']);
    expect(shown(updateContent())).toEqual(['🆕 Update: the leading suspect changed', cause]);
  });

  test('when it started is told against the report, and how it spread from the cause to the alert', () => {
    const late = read(render(reportContent({ generatedAt: '2026-11-29T10:15:20.000Z' })).root);
    expect(late).toContain('*Started:* 10:00:00 UTC, 2026-11-29 (reported 15 min later)');
    expect(text).toContain('*Started:* 10:00:00 UTC, 2026-11-29\n');
    expect(text).toContain('*Affected:* orders-db → checkout');
    expect(read(render(resolvedContent()).root)).toContain('*Started:* 10:00:00 UTC, 2026-11-29\n');
  });

  test('a change stands beside the facts only where neither the summary nor the first evidence tells it', () => {
    const [change, ...others] = makeReport().evidence;
    const late = [...others, ...others.map((item) => ({ ...item, id: `${item.id}0` })), change] as Report['evidence'];
    const fact = '*Suspected change:* Release 812 of orders set max_connections from 100 to 50, 150 s before the alert';
    expect(text).not.toContain('Suspected change');
    expect(read(render(reportContent({ evidence: late })).root)).toContain(fact);
    const told = 'Release 812 of orders set max_connections from 100 to 50: checkout waits';
    expect(read(render(reportContent({ evidence: late, summary: told })).root)).not.toContain('Suspected change');
    const alternatives = [{ ...makeReport().alternatives[0], supporting: ['C1'] }] as Report['alternatives'];
    const causal_chain = [{ service: 'orders-db', statement: 'full', evidence: ['M1', 'L1'] }];
    const another = reportContent({ evidence: late, alternatives, causal_chain });
    expect(read(render(another).root)).not.toContain('Suspected change');
  });

  test('a sentence on how to undo a step is no command', () => {
    const [action] = makeReport().action_plan;
    const plan = [{ ...action, rollback: 'Set the limit back to 50.' }] as Report['action_plan'];
    expect(readAll(render(reportContent({ action_plan: plan })))).toContain('Undo: Set the limit back to 50.');
  });
});

describe('limits', () => {
  test.each([3001, 9000])(
    'a summary of %i characters with code fences fits, and its end is in the thread',
    (length) => {
      const summary =
        `\`\`\`\n${'line of a stack trace\n'.repeat(Math.ceil(length / 22))}`.slice(0, length - 14) + ' end of text.';
      const post = render(reportContent({ summary }));
      expectPostable(post);
      expect(read(post.root)).toContain('Root cause');
      expect(readAll(post)).toContain('end of text.');
    },
  );

  test('60 pieces of evidence: the best are in the post, the rest in the thread, and the post says how many', () => {
    const post = render(
      reportContent({
        evidence: evidence(60, 'e'.repeat(400)),
        gaps: Array.from({ length: 20 }, (_, i) => `gap ${i} ${'g'.repeat(880)}`),
      }),
    );
    expectPostable(post);
    const shown = (read(post.root).match(/item \d+ /g) ?? []).length;
    expect(shown).toBeGreaterThanOrEqual(3);
    expect(read(post.root)).toContain(`_(+ ${60 - shown} more in the thread)_`);
    expect(read(post.root)).toContain('Action plan — not executed');
    for (const n of [1, 30, 60]) expect(readAll(post)).toContain(`item ${n} `);
  });

  test('where there are no threads, the post points to the stored report', () => {
    const post = renderPost(reportContent({ evidence: evidence(60, 'x') }), 'in the stored report');
    expect(post.replies).toEqual([]);
    expect(read(post.root)).toContain('+ 56 more in the stored report');
  });

  test('text that grows fivefold by escaping still fits', () => {
    const post = render(
      reportContent({ summary: '&'.repeat(600), evidence: evidence(8, '<>&'.repeat(330)), gaps: ['&'.repeat(5000)] }),
    );
    expectPostable(post);
  });

  test.each([150, 255, 1024, 2000, 2990, 3000])('an emoji across position %i is never halved', (limit) => {
    for (const shift of [-2, -1, 0, 1]) {
      const text = `${'a'.repeat(limit + shift)}😀👩‍👩‍👧 tail`;
      const report = { summary: text, evidence: evidence(1, text), gaps: [text] };
      expectPostable(
        render(reportContent({ ...report, incident: { ...reportContent().report.incident, title: text } })),
      );
    }
  });

  test('whatever a report holds can be posted', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 700 });
    const statements = fc.array(text, { maxLength: 25 });
    fc.assert(
      fc.property(text, statements, statements, (summary, statementsOfEvidence, gaps) => {
        const list = statementsOfEvidence.flatMap((statement) => evidence(1, statement));
        expectPostable(render(reportContent({ summary, evidence: list, gaps })));
      }),
      { numRuns: 60 },
    );
  });
});

describe('alert text is data', () => {
  const hostile =
    'latency < 5 && errors > 1 <!channel> <@U0123> <#C1> <https://evil.example|runbook> &lt;ok&gt; *b* ```x';
  const report = reportContent(
    {
      summary: hostile,
      gaps: [hostile],
      evidence: evidence(2, hostile),
      incident: { ...reportContent().report.incident, title: hostile },
    },
    { annotations: { runbook_url: 'javascript:alert(1)', dashboard_url: 'https://d.example/?a=1|2&b=<x>' } },
  );
  const post = render(report);
  const sent = JSON.stringify(messagesOf(post));

  test('it pings nobody and links nowhere', () => {
    expect(sent).not.toMatch(/<[!@#]/);
    expect(sent).not.toContain('<https://evil.example');
    expect(sent).toContain('&lt;!channel&gt;');
  });

  test('it is escaped exactly once', () => {
    expect(sent).toContain('latency &lt; 5 &amp;&amp; errors &gt; 1');
    expect(sent).toContain('&amp;lt;ok&amp;gt;');
    expect(sent).not.toContain('&amp;amp;');
  });

  test('only addresses a browser opens become links, and they cannot be broken out of', () => {
    expect(sent).not.toContain('javascript:');
    expect(sent).toContain('<https://d.example/?a=1%7C2&amp;b=%3Cx%3E|dashboard · d.example>');
  });

  test('Slack is told to interpret nothing', () => {
    for (const block of post.root.blocks.flatMap((b) => ('text' in b && b.type === 'section' ? [b.text] : []))) {
      expect(block).toMatchObject({ verbatim: true });
    }
  });

  test('a command cannot leave its code style', () => {
    const [action] = reportContent().report.action_plan;
    const plan = action ? [{ ...action, command: 'echo `id` ``` <!here>\nsecond' }] : [];
    const text = read(render(reportContent({ action_plan: plan })).root);
    expect(text).toContain("`echo 'id' ''' &lt;!here&gt; second`");
  });
});

test('length is counted as Slack counts it: every text of every block', () => {
  for (const block of render(reportContent()).root.blocks) {
    expect(blockLength(block)).toBe(textsOf(block).join('').length);
  }
});
