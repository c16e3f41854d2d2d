import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { recallText, RECALL_CHARACTERS } from '../../../src/memory/recall-text.ts';
import { createRedactor } from '../../../src/policy/redact.ts';

const asItIs = (text: string): string => text;
const redactor = createRedactor({ secrets: [], key: 'k' });
const facts = (count: number): string =>
  Array.from({ length: count }, (_, i) => `- 2026-11-30 host-${i}: disk = ${i} GB\n`).join('');

describe('what a prompt gets of the memory', () => {
  test('B9: a short memory is whole, in the order of the file', () => {
    expect(recallText(facts(3), asItIs)).toBe(facts(3).trim());
    expect(recallText('', asItIs)).toBe('');
  });

  test('B9: of a long one the last 8,000 characters, whole lines, below a note', () => {
    const text = facts(1000);
    const recalled = recallText(text, asItIs);
    const [note = '', ...lines] = recalled.split('\n');
    const kept = lines.join('\n');
    expect(note).toBe(`[${text.trim().length - kept.length} characters of older facts are left out]`);
    expect(text.trim().endsWith(`\n${kept}`)).toBe(true);
    expect(kept.length).toBeLessThanOrEqual(RECALL_CHARACTERS);
    expect(kept.length).toBeGreaterThan(RECALL_CHARACTERS - 60);
    expect(lines.every((line) => line.startsWith('- 2026-11-30 host-'))).toBe(true);
  });

  test('B9: a line that begins exactly at the cut is whole and stays', () => {
    const tail = `- x\n${'y'.repeat(RECALL_CHARACTERS - 4)}`;
    expect(recallText(`older\n${tail}`, asItIs)).toBe(`[6 characters of older facts are left out]\n${tail}`);
  });

  test('B9: redacted before it is cut: a key whose header lies before the cut does not come through', () => {
    const body = Array.from(
      { length: 200 },
      (_, i) => `MIIEpAIBAAKCAQEA${String(i).padStart(4, '0')}${'q'.repeat(44)}`,
    ).join('\n');
    const text = `- a: b = c\n-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----\n- d: e = f\n`;
    expect(text.length).toBeGreaterThan(RECALL_CHARACTERS);
    const recalled = recallText(text, redactor.redact);
    expect(recalled).not.toContain('MIIEpAIBAAKCAQEA');
    expect(recalled).toContain('- d: e = f');
  });

  test('B9: one line that is longer than the room is left out', () => {
    expect(recallText('z'.repeat(9000), asItIs)).toBe('[9000 characters of older facts are left out]\n');
  });

  test('B9: never more than the room and its note, and always an end of the text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 900 }), { maxLength: 30 }), (lines) => {
        const text = lines.join('\n').trim();
        const recalled = recallText(text, asItIs);
        const kept = text.length <= RECALL_CHARACTERS ? recalled : recalled.slice(recalled.indexOf('\n') + 1);
        expect(kept.length).toBeLessThanOrEqual(RECALL_CHARACTERS);
        expect(text.endsWith(kept)).toBe(true);
      }),
    );
  });
});
