import { describe, expect, test } from '@jest/globals';
import { NO_GUIDANCE } from '../../../src/agent/guidance.ts';
import type { AgentCheckpoint } from '../../../src/agent/checkpoint.ts';
import { ModelError, type Model } from '../../../src/agent/model.ts';
import { inProcess } from '../../../src/agent/sub-agents/in-process.ts';
import type { SubAgentOutcome } from '../../../src/agent/sub-agents/port.ts';
import { printSession } from '../../../src/app/print-session.ts';
import { NO_TELEMETRY } from '../../../src/domain/telemetry.ts';
import { investigate } from '../../../src/investigate/investigate.ts';
import type { InvestigationState, Journal } from '../../../src/investigate/journal.ts';
import type { InvestigationParts } from '../../../src/investigate/run.ts';
import {
  ANALYST_LIMITS,
  caseBrief,
  caseProvider,
  caseRedact,
  CONCLUSION,
  INCIDENT,
  SECRET,
  TRIGGER_MS,
} from '../../support/agent-case.ts';
import { modelByAgent } from '../../support/model-by-agent.ts';
import { text, toolUse, type ScriptedStep } from '../../support/scripted-model.ts';
import { foundBy } from '../../support/sub-agent-orders.ts';

const TASKS = [
  { task: 'part 1: is the pool full?', hypothesis: 'H1', stance: 'refute' },
  { task: `part 2: who calls it, with ${SECRET}?` },
];
const finding = (...evidence: string[]): ScriptedStep => ({
  blocks: [text(JSON.stringify({ conclusion: 'The pool is full.', evidence, verdicts: [], gaps: [] }))],
});
const look = (id: string): ScriptedStep => ({ blocks: [text('I look.'), toolUse('query_logs', {}, id)] });
const SCRIPTS: Readonly<Record<string, readonly ScriptedStep[]>> = {
  main: [
    look('call_a'),
    { blocks: [toolUse('delegate', { tasks: TASKS }, 'call_b')] },
    { blocks: [text(JSON.stringify({ ...CONCLUSION, evidence: ['M1', 'M2', 'L50001'] }))] },
  ],
  'part 1': [look('call_c'), finding('L50001')],
  'part 2': [look('call_d'), finding('L60001')],
};

function parts(model: Model, changes: Partial<InvestigationParts> = {}): InvestigationParts {
  return {
    toolbox: { providers: [caseProvider()] },
    gather: () => Promise.resolve(NO_TELEMETRY),
    distil: () => Promise.resolve(briefOfCase()),
    guide: () => Promise.resolve(NO_GUIDANCE),
    model,
    limits: {
      ...ANALYST_LIMITS,
      maxTurns: 12,
      maxTokens: 300_000,
      maxOutputTokens: 2000,
      maxCostUsd: null,
    },
    now: () => TRIGGER_MS,
    redact: caseRedact,
    nonce: () => 'f00dcafe',
    ...changes,
  };
}

/** The case's brief with what a ranking says, so that the services of the report are known. */
function briefOfCase() {
  const suspect = (service: string, score: number) => ({
    service,
    score,
    rootCauseType: 'connection_exhaustion' as const,
    reasons: [],
  });
  const suspects = [suspect('payments', 4), suspect('checkout', 2)];
  return { ...caseBrief(), ranking: { suspects, confidence: 0.6, confidenceReasons: [] } };
}

const never = () => new AbortController().signal;

describe('an investigation with sub-agents', () => {
  test('B13 B16: one report that cites what they found, usage of all, and a session each that reads like a story', async () => {
    const { report, session, subSessions } = await investigate(INCIDENT, parts(modelByAgent(SCRIPTS)), never());
    expect(report).toMatchObject({ mode: 'agent', usage: { turns: 3, sub_agents: 2, termination_reason: 'done' } });
    expect(report.evidence.map(({ id }) => id)).toContain('L50001');
    // Seven calls of 1,000 tokens in and 100 out: three of the main agent, two of each sub-agent.
    expect(report.usage).toMatchObject({ input_tokens: 7000, output_tokens: 700 });
    expect(session.usage).toMatchObject({ turns: 3, inputTokens: 3000 });
    expect(session.subAgents).toEqual(['ses_inc_case.2.1', 'ses_inc_case.2.2']);
    expect(subSessions.map(({ id }) => id).sort()).toEqual(session.subAgents);
    for (const sub of subSessions) expect(sub).toMatchObject({ parentId: session.id, usage: { turns: 2 } });

    const story = printSession({ session, subSessions, report }, false);
    const inOrder = [
      'about: CheckoutSlow of checkout',
      'used: 3 of 12 turns',
      'together with 2 sub-agents: 7,700 tokens',
      'concluded: ',
      'was told',
      'turn 1',
      'looked up: query_logs',
      'turn 2',
      'looked up: delegate',
      'task: part 1: is the pool full?',
      'task: part 2',
      'turn 3',
    ];
    const places = inOrder.map((part) => story.indexOf(part));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    // In the main agent's result, and in each sub-agent's own words.
    expect(story.match(/The pool is full\./g)?.length).toBeGreaterThanOrEqual(4);
    expect(JSON.stringify([report, session, subSessions, story])).not.toContain(SECRET);
  });

  test('two runs with the same model leave the same transcripts', async () => {
    const runs = await Promise.all([1, 2].map(() => investigate(INCIDENT, parts(modelByAgent(SCRIPTS)), never())));
    const [one, two] = runs.map(({ report, session, subSessions }) =>
      JSON.stringify([report, session, [...subSessions].sort((a, b) => (a.id < b.id ? -1 : 1))]),
    );
    expect(one).toBe(two);
  });
});

/** What Redis keeps, as text; a sub-agent's outcome is kept like its parent's state. */
class Shelf {
  readonly #texts = new Map<string, string>();
  saves = 0;

  slot<T>(name: string): { load(): Promise<T | undefined>; save(value: T): Promise<void> } {
    return {
      load: () => {
        const kept = this.#texts.get(name);
        return Promise.resolve(kept === undefined ? undefined : (JSON.parse(kept) as T));
      },
      save: (value) => {
        this.saves += 1;
        this.#texts.set(name, JSON.stringify(value));
        return Promise.resolve();
      },
    };
  }

  journal(): Journal {
    return { ...this.slot<InvestigationState>('state'), main: this.slot<AgentCheckpoint>('main') };
  }

  get everything(): string {
    return [...this.#texts.values()].join('\n');
  }
}

describe('an investigation whose process dies', () => {
  const killedAt = (calls: number, killed: AbortController): ReturnType<typeof modelByAgent> => {
    const model = modelByAgent(SCRIPTS);
    let left = calls;
    return {
      ...model,
      asked: model.asked,
      complete: (request) => {
        if (left-- > 0) return model.complete(request);
        killed.abort(new Error('killed'));
        return Promise.reject(new ModelError('aborted', 'killed'));
      },
    };
  };

  /** Sub-agents elsewhere, which go on whatever becomes of their parent. */
  const elsewhere = (shelf: Shelf, carriedOut: string[]) =>
    inProcess(async (order): Promise<SubAgentOutcome> => {
      const slot = shelf.slot<SubAgentOutcome>(`outcome ${order.id}`);
      const known = await slot.load();
      if (known) return known;
      carriedOut.push(order.id);
      const evidence = { ...caseBrief().evidence[0], id: `L${order.firstEvidenceNumber}`, kind: 'log' } as const;
      const outcome = { ...foundBy(order), evidence: [evidence as never] };
      await slot.save(outcome);
      return outcome;
    });

  test.each([0, 1, 2])(
    'at call %i of the model: another goes on, gathers nothing again and repeats no answered call',
    async (calls) => {
      const shelf = new Shelf();
      const carriedOut: string[] = [];
      let gathered = 0;
      const shared = (model: Model) =>
        parts(model, {
          gather: () => Promise.resolve({ ...NO_TELEMETRY, rawCharacters: (gathered += 1) }),
          nonce: () => `nonce${gathered}`,
          journal: shelf.journal(),
          runSubAgents: elsewhere(shelf, carriedOut),
        });
      const killed = new AbortController();
      const dying = killedAt(calls, killed);
      await expect(investigate(INCIDENT, shared(dying), killed.signal)).rejects.toThrow('killed');

      const successor = modelByAgent(SCRIPTS);
      const { report, session } = await investigate(INCIDENT, shared(successor), never());
      expect(gathered).toBe(1);
      expect([...dying.asked, ...successor.asked]).toEqual(['main 0', 'main 1', 'main 2']);
      expect(carriedOut.sort()).toEqual(['ses_inc_case.2.1', 'ses_inc_case.2.2']);
      expect(report).toMatchObject({ mode: 'agent', usage: { turns: 3, sub_agents: 2, input_tokens: 3000 } });
      expect(session.entries.filter(({ role }) => role === 'assistant')).toHaveLength(3);
      expect(shelf.everything).not.toContain(SECRET);
    },
  );

  test('after its last answer: the report is written without asking anything', async () => {
    const shelf = new Shelf();
    const first = modelByAgent(SCRIPTS);
    const shared = (model: Model) => parts(model, { journal: shelf.journal(), runSubAgents: elsewhere(shelf, []) });
    const done = await investigate(INCIDENT, shared(first), never());
    const silent = modelByAgent({});
    const again = await investigate(INCIDENT, shared(silent), never());
    expect(silent.asked).toEqual([]);
    expect(again.report).toEqual(done.report);
  });

  test('a state of another version is passed over; without a model nothing is kept', async () => {
    const shelf = new Shelf();
    await shelf.slot<unknown>('state').save({ version: 0, brief: 'of an older Rootnote' });
    const { report } = await investigate(INCIDENT, parts(modelByAgent(SCRIPTS), { journal: shelf.journal() }), never());
    expect(report.mode).toBe('agent');
    const empty = new Shelf();
    await investigate(
      INCIDENT,
      { ...parts(modelByAgent({})), model: { off: 'no key' }, journal: empty.journal() },
      never(),
    );
    expect(empty.saves).toBe(0);
  });
});
