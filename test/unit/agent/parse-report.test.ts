import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { parseReport } from '../../../src/agent/parse-report.ts';
import { CONCLUSION } from '../../support/agent-case.ts';

const JSON_TEXT = JSON.stringify(CONCLUSION);

describe('parseReport', () => {
  test.each([
    ['bare', JSON_TEXT],
    ['in a fence', `\`\`\`json\n${JSON_TEXT}\n\`\`\``],
    ['after a sentence', `The report:\n${JSON_TEXT}\nDone.`],
    ['indented', JSON.stringify(CONCLUSION, null, 2)],
  ])('reads a report %s', (_name, text) => {
    expect(parseReport(text)).toEqual({ kind: 'valid', value: CONCLUSION });
  });

  test('braces and quotes within strings do not end the object', () => {
    const summary = 'a "}" and a {"key": 1} and a \\';
    expect(parseReport(JSON.stringify({ ...CONCLUSION, summary }))).toMatchObject({
      kind: 'valid',
      value: { summary },
    });
  });

  test.each([
    ['two objects', `${JSON_TEXT}\n${JSON_TEXT}`, 'write exactly one JSON object'],
    ['a key twice', JSON_TEXT.replace('{"status"', '{"status":"healthy","status"'), 'a key occurs twice in one object'],
    [
      'a nested key twice',
      JSON_TEXT.replace('{"service"', '{"service":"x","service"'),
      'a key occurs twice in one object',
    ],
    ['half of it', JSON_TEXT.slice(0, 200), 'the JSON is cut off or not well-formed'],
    ['a trailing comma', JSON_TEXT.replace(/\}$/, ',}'), 'the JSON is not well-formed'],
  ])('refuses %s', (_name, text, rule) => {
    expect(parseReport(text)).toEqual({ kind: 'invalid', problems: [{ path: '', rule }] });
  });

  test('problems name path and rule and hold nothing of what was written', () => {
    const parsed = parseReport(
      JSON.stringify({ ...CONCLUSION, confidence: 4, canary_key: 'canary', root_cause_type: 'canary' }),
    );
    expect(parsed.kind === 'invalid' && parsed.problems.map(({ path }) => path)).toEqual([
      'root_cause_type',
      'confidence',
      '',
    ]);
    expect(JSON.stringify(parsed)).not.toContain('canary');
  });

  test('text of invisible characters only is blank', () => {
    const parsed = parseReport(JSON.stringify({ ...CONCLUSION, summary: '\u200b\u202e ' }));
    expect(parsed).toEqual({ kind: 'invalid', problems: [{ path: 'summary', rule: 'must not be blank' }] });
  });

  test('a string that never ends costs linear time', () => {
    expect(parseReport(`{"a": "${'\\"'.repeat(200_000)}`)).toMatchObject({ kind: 'invalid' });
  });

  test('text without an object is no report', () => {
    expect(parseReport('I need more time.')).toEqual({ kind: 'none' });
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.json(), (prose, json) => void parseReport(`${prose}{${json}`)),
    );
  });
});
