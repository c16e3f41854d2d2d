import { listAt, textAt, textsAt } from './json-path.ts';

type Labels = Readonly<Record<string, string>>;

/** True when `labels` carry every pair of the selector. */
export function matches(labels: Labels, selector: Labels): boolean {
  for (const name of Object.keys(selector)) if (labels[name] !== selector[name]) return false;
  return true;
}

/** A `LabelSelector` of the API: all of `matchLabels` and of `matchExpressions`. An empty one selects everything. */
export function matchesSelector(selector: unknown, labels: Labels): boolean {
  return matches(labels, textsAt(selector, 'matchLabels')) && holdAll(listAt(selector, 'matchExpressions'), labels);
}

/** A `NodeSelectorTerm`: an empty one matches nothing. `fields` are the names that `matchFields` may ask for. */
export function matchesTerm(term: unknown, labels: Labels, fields: Labels): boolean {
  const [expressions, ofFields] = [listAt(term, 'matchExpressions'), listAt(term, 'matchFields')];
  if (expressions.length + ofFields.length === 0) return false;
  return holdAll(expressions, labels) && holdAll(ofFields, fields);
}

const holdAll = (expressions: readonly unknown[], labels: Labels) => expressions.every((one) => holds(one, labels));

type Test = (value: string | undefined, values: readonly unknown[]) => boolean;

const isNumber = (text: string | undefined) => text !== undefined && /^-?\d+$/.test(text);

const TESTS: ReadonlyMap<string | undefined, Test> = new Map<string, Test>([
  ['In', (value, values) => value !== undefined && values.includes(value)],
  ['NotIn', (value, values) => value === undefined || !values.includes(value)],
  ['Exists', (value) => value !== undefined],
  ['DoesNotExist', (value) => value === undefined],
  ['Gt', (value, values) => isNumber(value) && Number(value) > Number(values[0])],
  ['Lt', (value, values) => isNumber(value) && Number(value) < Number(values[0])],
]);

/** An operator that is not known holds: nothing is concluded from it. */
function holds(expression: unknown, labels: Labels): boolean {
  const key = textAt(expression, 'key') ?? '';
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  return TESTS.get(textAt(expression, 'operator'))?.(value, listAt(expression, 'values')) ?? true;
}
