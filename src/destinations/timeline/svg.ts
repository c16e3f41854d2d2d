import { clip, oneLine } from '../../policy/untrusted.ts';

/** Characters that XML 1.0 cannot hold, or for which no font of ours has a shape. */
const NOT_DRAWN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/gu;

/** Data as character data of XML, on one line and at most `max` UTF-16 units long. */
export function data(text: string, max: number): string {
  return clip(oneLine(oneLine(text).replace(NOT_DRAWN, '')), max)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

type Attributes = Readonly<Record<string, string | number>>;

/** Content comes escaped, from `data`; attributes are ours. */
export function tag(name: string, attributes: Attributes, content = ''): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${typeof value === 'number' ? round(value) : value}"`,
  );
  return content === '' ? `<${name}${written.join('')}/>` : `<${name}${written.join('')}>${content}</${name}>`;
}

export function text(x: number, y: number, content: string, attributes: Attributes = {}): string {
  return content === '' ? '' : tag('text', { x, y, ...attributes }, content);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
