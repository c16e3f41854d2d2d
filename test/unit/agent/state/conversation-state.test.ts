import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Message } from '../../../../src/agent/state/compact-messages.ts';
import { ConversationState } from '../../../../src/agent/state/conversation-state.ts';
import { beginTurn, type TurnFacts } from '../../../../src/agent/state/turn-snapshot.ts';

const FACTS: TurnFacts<object, { readonly name: string }> = {
  text: 'What is wrong?',
  sent: [{ role: 'user', text: 'What is wrong?' }],
  sources: ['prometheus'],
  tools: [{ name: 'query_logs' }],
  systemPrompt: ['You investigate.'],
  iterationCap: 12,
  budgets: { turnsLeft: 12 },
  model: 'scripted',
  workingFacts: { service: 'checkout' },
};

describe('A1: what crosses a turn', () => {
  test('is the conversation and the last observation, and nothing else can be read or set', () => {
    const names = Object.getOwnPropertyNames(ConversationState.prototype);
    const isData = (name: string) =>
      'get' in (Object.getOwnPropertyDescriptor(ConversationState.prototype, name) ?? {});
    expect(names.filter(isData)).toEqual(['messages', 'lastObservation']);
    expect(Object.keys(new ConversationState())).toEqual([]);
  });

  test('the room knows no prompt, no budget, no model and no store: it imports nothing but itself', () => {
    const files = readdirSync('src/agent/state').filter((file) => file.endsWith('.ts'));
    const foreign = files.flatMap((file) =>
      [...readFileSync(`src/agent/state/${file}`, 'utf8').matchAll(/from '([^']+)'/g)]
        .map(([, specifier = '']) => specifier)
        .filter((specifier) => !/^\.\/[\w-]+\.ts$/.test(specifier)),
    );
    expect(files.length).toBeGreaterThan(3);
    expect(foreign).toEqual([]);
  });
});

describe('A3: turns', () => {
  test('are recorded as a pair, user first', () => {
    const state = new ConversationState();
    state.recordTurn('What is wrong?', 'The disk is full.');
    expect(state.messages).toEqual([
      { role: 'user', text: 'What is wrong?' },
      { role: 'assistant', text: 'The disk is full.' },
    ]);
  });

  test('the thirteenth compacts', () => {
    const state = new ConversationState();
    for (let turn = 1; turn <= 12; turn++) state.recordTurn(`question ${turn}`, `answer ${turn}`);
    expect(state.messages).toHaveLength(24);
    state.recordTurn('question 13', 'answer 13');
    expect(state.messages).toHaveLength(23);
    expect(state.messages[0]?.text).toContain('question 1');
  });

  test('the setter replaces, compacts, copies, and refuses other roles', () => {
    const state = new ConversationState();
    const given: Message[] = Array.from({ length: 30 }, (_, i) => ({ role: 'tool', text: `${i}` }));
    state.messages = given;
    given.length = 0;
    expect(state.messages).toHaveLength(23);
    expect(() => {
      state.messages = [{ role: 'developer', text: 'x' } as unknown as Message];
    }).toThrow('developer');
    expect(state.messages).toHaveLength(23);
  });

  test('cannot be changed from outside', () => {
    const state = new ConversationState();
    state.recordTurn('a', 'b');
    expect(() => (state.messages as Message[]).push({ role: 'user', text: 'c' })).toThrow(TypeError);
    expect(() => Object.assign(state.messages[0] ?? {}, { text: 'c' })).toThrow(TypeError);
  });
});

describe('A2, A4: the snapshot of a turn', () => {
  test('takes the observation, then the state forgets it; the next result is the next observation', () => {
    const state = new ConversationState();
    state.observe('first result');
    state.observe('second result');
    expect(beginTurn(state, FACTS).lastObservation).toBe('second result');
    expect(state.lastObservation).toBeNull();
    expect(beginTurn(state, FACTS).lastObservation).toBeNull();
    state.observe('third result');
    expect(beginTurn(state, FACTS).lastObservation).toBe('third result');
  });

  test.each([
    ['what the caller brings', { broughtObservation: 'brought', commandObservation: 'command' }, 'state', 'brought'],
    ['the state', { broughtObservation: '  ', commandObservation: 'command' }, 'state', 'state'],
    ['the last command', { broughtObservation: null, commandObservation: 'command' }, ' \n', 'command'],
    ['nothing', { broughtObservation: '', commandObservation: ' ' }, '', null],
  ])('of several observations %s counts', (_name, facts, observed, expected) => {
    const state = new ConversationState();
    state.observe(observed);
    expect(beginTurn(state, { ...FACTS, ...facts }).lastObservation).toBe(expected);
  });

  test('is frozen to its ground and knows nothing of what happens later', () => {
    const state = new ConversationState();
    state.recordTurn('a', 'b');
    const tools = [{ name: 'query_logs' }];
    const snapshot = beginTurn(state, { ...FACTS, tools, recoveryNote: 'be shorter' });
    tools.push({ name: 'later' });
    state.recordTurn('c', 'd');
    expect(snapshot).toMatchObject({ messages: [{ text: 'a' }, { text: 'b' }], tools: [{ name: 'query_logs' }] });
    for (const part of [
      snapshot,
      snapshot.tools,
      snapshot.tools[0],
      snapshot.sent[0],
      snapshot.budgets,
      snapshot.messages[0],
    ])
      expect(Object.isFrozen(part)).toBe(true);
  });

  test('a recovery note stands in one snapshot; a blank one in none', () => {
    const state = new ConversationState();
    expect(beginTurn(state, { ...FACTS, recoveryNote: 'be shorter' }).recoveryNote).toBe('be shorter');
    expect(beginTurn(state, FACTS).recoveryNote).toBeNull();
    expect(beginTurn(state, { ...FACTS, recoveryNote: ' ' }).recoveryNote).toBeNull();
  });

  test.each<[string, Partial<typeof FACTS>]>([
    ['system prompt', { systemPrompt: [' ', ''] }],
    ['iteration cap', { iterationCap: 0 }],
    ['tool', { tools: [] }],
  ])('is refused without a %s, and then the observation is still there', (what, facts) => {
    const state = new ConversationState();
    state.observe('result');
    expect(() => beginTurn(state, { ...FACTS, ...facts })).toThrow(what);
    expect(state.lastObservation).toBe('result');
  });
});

describe('A5: clear', () => {
  test('empties both', () => {
    const state = new ConversationState();
    state.recordTurn('a', 'b');
    state.observe('result');
    state.clear();
    expect([state.messages, state.lastObservation]).toEqual([[], null]);
  });

  test('is the only reset: a new observation leaves the messages, new messages leave the observation', () => {
    const state = new ConversationState();
    state.recordTurn('a', 'b');
    state.observe('result');
    state.resetObservation();
    expect(state.messages).toHaveLength(2);
    state.observe('result');
    state.messages = [];
    expect(state.lastObservation).toBe('result');
  });
});
