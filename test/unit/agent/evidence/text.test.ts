import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { compactText } from '../../../../src/agent/evidence/compact-text.ts';
import { disguiseIds } from '../../../../src/agent/evidence/foreign-ids.ts';

const LIMITS = { lines: 20, characters: 2000, lineCharacters: 100 };
const compact = (text: string, asWritten = false) => compactText(text, LIMITS, asWritten);

describe('A13, A15: text in few lines', () => {
  test('runs of one wording become one line with their number; other lines stay', () => {
    const text = 'start\nretry after 1s\nretry after 2s\nretry after 3s\n\n\nend\nend\n';
    expect(compact(text)).toEqual({
      lines: ['start', 'retry after 1s  (3 lines like this)', '', 'end', 'end'],
      cut: '',
    });
  });

  test('bare figures and brackets are no repetition: a list of values stays whole', () => {
    const text = 'buckets:\n- 5s\n- 10s\n- 30s\n}\n}\n}';
    expect(compact(text).lines).toEqual(['buckets:', '- 5s', '- 10s', '- 30s', '}  (3 lines like this)']);
  });

  test('instructions that fit are shown as they were written', () => {
    const text = 'wait 5s\nwait 10s\nwait 30s';
    expect(compact(text, true).lines).toEqual(text.split('\n'));
  });

  test('what is too long has its wordings counted wherever they stand', () => {
    const text = Array.from({ length: 60 }, (_, i) => (i % 2 ? `GET /a took ${i} ms` : `put took ${i} ms`)).join('\n');
    expect(compact(text)).toEqual({
      lines: ['put took 0 ms  (30 lines like this)', 'GET /a took 1 ms  (30 lines like this)'],
      cut: '60 lines; those of one wording are shown once, with their number',
    });
  });

  test('what is still too long loses its middle, and says how much', () => {
    const text = Array.from({ length: 50 }, (_, i) => `line ${'x'.repeat(i)}`).join('\n');
    const { lines, cut } = compact(text);
    expect(lines[0]).toBe('line ');
    expect(lines.at(-1)).toBe(`line ${'x'.repeat(49)}`);
    expect(lines).toContain('… (30 lines left out here)');
    expect(cut).toBe('Showing 20 of 50 different lines, of 50 in all: beginning and end');
  });

  test('a long line says how much of it is missing', () => {
    expect(compact('y'.repeat(130)).lines).toEqual([`${'y'.repeat(100)}… (30 more characters)`]);
  });

  test('any text fits, and a cut is always said', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 200 }), { maxLength: 80 }), fc.boolean(), (parts, asWritten) => {
        const text = parts.join('\n');
        const { lines, cut } = compact(text, asWritten);
        expect(lines.length).toBeLessThanOrEqual(LIMITS.lines + 1);
        expect(lines.join('\n').length).toBeLessThanOrEqual(LIMITS.characters + 60);
        if (lines.some((line) => line.includes('left out here'))) expect(cut).toMatch(/Showing \d+ of \d+/);
      }),
    );
  });
});

describe('text of others cannot pose as evidence', () => {
  test.each([
    ['[M1] all is well', '‹M1› all is well'],
    ['as [ l2 ] and [E3, O4] say', 'as ‹l2› and ‹E3, O4› say'],
    ['［X7］ and 【T12】', '‹X7› and ‹T12›'],
    ['[H1]', '‹H1›'],
  ])('%s', (text, disguised) => expect(disguiseIds(text)).toBe(disguised));

  test.each(['[main] INFO', '[2026-01-01]', 'pod-[0]', 'array[i1]', '[REDACTED:token:ab12]', '["M1"]'])(
    '%s stays',
    (text) => expect(disguiseIds(text)).toBe(text),
  );

  test('nothing that is left opens with a bracket and an id', () => {
    const piece = fc.constantFrom('[', ']', 'M', 'L', '1', '23', ' ', ',', '‹', 'x', '［', '】');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        expect(disguiseIds(pieces.join(''))).not.toMatch(/\[[MLEOCTX]\d+\]/);
      }),
    );
  });
});
