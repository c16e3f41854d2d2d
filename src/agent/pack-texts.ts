import { z } from 'zod';

/** Plain JSON in which every long text stands once, in `texts`; where it belongs, `value` has its place there. */
export const PackedTexts = z.strictObject({ texts: z.array(z.string()), value: z.unknown() });
export type PackedTexts = z.infer<typeof PackedTexts>;

/** A reference is not much shorter than these. */
const SHORT_CHARACTERS = 100;
/** `#12` is the twelfth text. A short text that begins like that gets another one before it, so that nothing can pose as a reference. */
const MARK = '#';

/** A transcript says a tool's result as a message, as an entry of the session and as the answer to a repeat: here it is kept once. */
export function packTexts(value: unknown): PackedTexts {
  const places = new Map<string, number>();
  const packed = mapTexts(value, (text) => {
    if (text.length < SHORT_CHARACTERS) return text.startsWith(MARK) ? `${MARK}${text}` : text;
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return `${MARK}${place}`;
  });
  return { texts: [...places.keys()], value: packed };
}

/** What `packTexts` was given. A reference to a text that is not there becomes an empty text. */
export function unpackTexts({ texts, value }: PackedTexts): unknown {
  return mapTexts(value, (text) => {
    if (!text.startsWith(MARK)) return text;
    return text.startsWith(MARK + MARK) ? text.slice(MARK.length) : (texts[Number(text.slice(MARK.length))] ?? '');
  });
}

/** `value`, plain JSON, with every text in it changed, keys included. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), mapTexts(item, change)]));
}
