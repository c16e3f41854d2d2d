import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { packTexts, unpackTexts } from '../../../src/agent/pack-texts.ts';

const long = (word: string) => word.repeat(50);

describe('packTexts', () => {
  test('a long text stands once, wherever it is said', () => {
    const value = { a: long('log '), b: [long('log '), { c: long('log '), d: 'short' }] };
    const packed = packTexts(value);
    expect(packed).toEqual({ texts: [long('log ')], value: { a: '#0', b: ['#0', { c: '#0', d: 'short' }] } });
    expect(unpackTexts(packed)).toEqual(value);
  });

  test('what the model wrote cannot pose as a reference', () => {
    const value = { secret: long('no '), input: { '#0': '#0', text: '##0' } };
    expect(unpackTexts(packTexts(value))).toEqual(value);
  });

  test('any JSON comes back as it was, from text as well', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('#', '##', '#0', '#1', long('#'), long('a')));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.integer(),
        fc.constant(null),
        fc.array(tie('tree')),
        fc.dictionary(text, tie('tree')),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const kept = JSON.parse(JSON.stringify(packTexts(value))) as ReturnType<typeof packTexts>;
        expect(unpackTexts(kept)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
