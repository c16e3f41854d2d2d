import { describe, expect, test } from '@jest/globals';
import { assignStances } from '../../../../src/agent/hypotheses/assign-stances.ts';
import { formHypotheses } from '../../../../src/agent/hypotheses/form-hypotheses.ts';
import { INCIDENT } from '../../../support/agent-case.ts';
import { inventBrief } from '../../../support/hypothesis-case.ts';

const HYPOTHESES = formHypotheses(
  INCIDENT,
  inventBrief({
    suspects: [
      { service: 'payments', score: 4 },
      { service: 'checkout', score: 2 },
    ],
    confidence: 0.6,
  }),
);
const task = (name: string, hypothesis?: string, stance?: 'test' | 'refute') => ({
  task: name,
  ...(hypothesis ? { hypothesis } : {}),
  ...(stance ? { stance } : {}),
});

describe('assignStances: one of the delegated tries to refute the leader', () => {
  test('a task that does is left alone', () => {
    const tasks = [task('a', 'H1', 'refute'), task('b', 'H2')];
    expect(assignStances(tasks, HYPOTHESES, false)).toEqual({ tasks: [tasks[0], task('b', 'H2', 'test')], note: '' });
  });

  test('below four tasks one is added', () => {
    const { tasks, note } = assignStances([task('a'), task('b', 'H1')], HYPOTHESES, false);
    expect(tasks.slice(0, 2)).toEqual([task('a'), task('b', 'H1', 'test')]);
    expect(tasks[2]).toEqual({
      task: 'Try to refute H1, that it began in payments. What would speak against it: its pool or limit of connections is not used up; or others changed before it.',
      hypothesis: 'H1',
      stance: 'refute',
    });
    expect(note).toBe('A task was added: one sub-agent tries to refute H1.');
  });

  test('of four tasks the one on the leader is turned, else the last', () => {
    const four = [task('a'), task('b', 'H1', 'test'), task('c'), task('d')];
    const turned = assignStances(four, HYPOTHESES, false);
    expect(turned.tasks.map(({ stance }) => stance)).toEqual([undefined, 'refute', undefined, undefined]);
    expect(turned.tasks[1]?.task).toMatch(/^Try to refute H1.* b$/);
    expect(turned.note).toBe('Task 2 was changed: that sub-agent tries to refute H1.');
    const last = assignStances(
      four.map(({ task: name }) => task(name)),
      HYPOTHESES,
      false,
    );
    expect(last.tasks.map(({ stance }) => stance)).toEqual([undefined, undefined, undefined, 'refute']);
  });

  test('only the first time; and what names no known hypothesis tests none', () => {
    const tasks = [task('a', 'H9', 'refute')];
    expect(assignStances(tasks, HYPOTHESES, true)).toEqual({ tasks: [task('a')], note: '' });
    expect(assignStances(tasks, [], false)).toEqual({ tasks: [task('a')], note: '' });
    expect(assignStances([], HYPOTHESES, false)).toEqual({ tasks: [], note: '' });
  });
});
