import { describe, expect, test } from '@jest/globals';
import { printCheckup } from '../../../src/app/doctor.ts';
import { printSession } from '../../../src/app/print-session.ts';
import { NO_USAGE } from '../../../src/domain/session.ts';

/** Clears the screen, sets the title, returns to the start of the line, reverses the reading direction, opens a C1 sequence. */
const STEERING = '\u001b[2J\u001b]0;owned\u0007\rfine\u202e\u009b31m';
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

describe('text that others wrote does not steer the terminal', () => {
  test('in a session: not from the brief, the model or the input of a tool', () => {
    const entry = { role: 'tool' as const, text: `said ${STEERING}`, atMs: 1 };
    const tool = { name: `query${STEERING}`, input: { query: STEERING }, isError: true };
    const session = {
      id: 'ses_1',
      incidentId: 'inc_1',
      startedAtMs: 0,
      finishedAtMs: 1,
      brief: `one\ntwo ${STEERING}`,
      entries: [{ ...entry, tool }, entry],
      usage: NO_USAGE,
      terminationReason: 'done',
    };
    const sub = { ...session, id: 'ses_1.1.1', parentId: 'ses_1', task: STEERING };
    const text = printSession({ session, subSessions: [sub], report: undefined }, false);
    expect(text).toContain('one\ntwo');
    expect(text).toMatch(/looked up: query.* FAILED\n {2}said /);
    expect(text).not.toMatch(CONTROLS);
  });

  test('in a check-up: not from what a server answered', () => {
    const text = printCheckup([{ name: 'slack', status: 'fail', value: STEERING, remedy: `a\nb ${STEERING}` }], {
      colour: false,
    });
    expect(text).toMatch(/→ a b/);
    expect(text).not.toMatch(CONTROLS);
  });
});
