import type { Labels } from '../../domain/labels.ts';
import type { Path, Scope } from './paths.ts';
import { spend, valuesAt } from './paths.ts';

/** What one alert may bring; the rest is left out. */
const MAX_COLLECTED = 200;
/** Of a list, an object or a text this much is looked at. */
const MAX_SEEN = 2000;
/** Of a word without a value among tags. */
const TAGS = 'tags';

type Pair = readonly [name: string, value: string];

/**
 * Labels from wherever senders keep them: an object, a list of `{name, value}` or `{key, value}`, of `[name, value]` or of `name:value`, or a
 * text of `name:value` with commas. Of a name that comes several times the first value counts. Words without a value are put together under `tags`.
 */
export function collectLabels(paths: readonly Path[], scope: Scope): Labels {
  const pairs = paths.flatMap((path) => valuesAt(path, scope)).flatMap(pairsOf);
  spend(scope, pairs.length);
  const words = pairs.filter(([name]) => name === '').map(([, word]) => word);
  const named = pairs.filter(([name]) => name !== '');
  const labels = new Map<string, string>();
  for (const [name, value] of words.length > 0 ? [...named, [TAGS, words.join(',')] as const] : named) {
    if (labels.size >= MAX_COLLECTED) break;
    if (!labels.has(name)) labels.set(name, value);
  }
  return Object.fromEntries(labels);
}

function pairsOf(value: unknown): readonly Pair[] {
  if (typeof value === 'string') return value.split(',', MAX_SEEN).flatMap(pairOfText);
  if (Array.isArray(value)) return (value as readonly unknown[]).slice(0, MAX_SEEN).flatMap(pairsOfElement);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .slice(0, MAX_SEEN)
    .flatMap(([name, inner]) => pairOf(name, inner));
}

function pairsOfElement(element: unknown): readonly Pair[] {
  if (typeof element === 'string') return pairOfText(element);
  if (Array.isArray(element)) return element.length === 2 ? pairOf(element[0], element[1]) : [];
  if (typeof element !== 'object' || element === null) return [];
  const { name, key, value } = element as Readonly<Record<string, unknown>>;
  return pairOf(name ?? key, value);
}

/** `service:shop` or `service=shop`; a word alone has no name. */
function pairOfText(text: string): readonly Pair[] {
  const trimmed = text.trim();
  const [, name = '', value = ''] = /^([^:=]+)[:=](.*)$/s.exec(trimmed) ?? [];
  if (name && value) return pairOf(name, value);
  return trimmed ? [['', trimmed]] : [];
}

/** `__proto__` is a name for nothing good. */
function pairOf(name: unknown, value: unknown): readonly Pair[] {
  if (typeof name !== 'string' || !['string', 'number', 'boolean'].includes(typeof value)) return [];
  const [trimmed, text] = [name.trim(), String(value).trim()];
  return trimmed && text && trimmed !== '__proto__' ? [[trimmed, text]] : [];
}
