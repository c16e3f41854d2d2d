import { z } from 'zod';
import { parseInWords } from '../../policy/explain-issues.ts';
import { didYouMean } from '../../policy/nearest.ts';
import { PathText } from './paths.ts';

const MAX_PATHS = 20;
const MAX_NAMES = 64;
const Constant = z.union([z.string(), z.number(), z.boolean()]).transform(String);
/** What a status may become. */
const STATES = ['firing', 'resolved', 'acknowledged', 'ignored'] as const;
const Paths = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z.array(PathText).min(1).max(MAX_PATHS),
);
const name = z.string().min(1).max(200);

/** Where a value of an alert comes from: a path, several of which the first with a value counts, or a constant; and what it becomes. */
export const Field = z.preprocess(
  (value) => (typeof value === 'string' || Array.isArray(value) ? { path: value } : value),
  z
    .strictObject({
      path: Paths.optional(),
      const: Constant.optional(),
      /** What values become; their case does not matter. */
      map: z.record(z.string(), Constant).optional(),
      /** Stands for what `map` does not name. Without it the value stays. */
      otherwise: Constant.optional(),
      /** When there is no value. */
      default: Constant.optional(),
    })
    .refine((field) => (field.path === undefined) !== (field.const === undefined), 'needs either path or const')
    .refine((field) => field.otherwise === undefined || field.map !== undefined, 'otherwise goes with map'),
);
export type Field = z.infer<typeof Field>;

/** Whether a word, in any case, is a state: any other status counts as firing. */
export function isState(word: string): boolean {
  return STATES.some((state) => state === word.toLowerCase());
}

/** How a body becomes alerts. No expressions: everything is a path, a constant or a table. docs/sources.md explains each key. */
export const Mapping = z
  .strictObject({
    /** The mapping counts only for bodies that hold one of the values at each of the paths. */
    when: z.record(name, z.array(Constant).min(1)).optional(),
    /** Bodies of this kind are no alerts; says why. */
    ignore: z.string().min(1).optional(),
    /** The list with an alert an element; the paths below then start at the element. */
    each: PathText.optional(),
    title: Field.optional(),
    status: Field.optional(),
    severity: Field.optional(),
    dedup_key: Field.optional(),
    /** When the occurrence began: the same in all messages about it. */
    started_at: Field.optional(),
    /** When what the message tells happened: the start of a firing alert that has no other, the end of a resolved one. */
    changed_at: Field.optional(),
    acknowledged_by: Field.optional(),
    description: Field.optional(),
    link: Field.optional(),
    delivery_id: Field.optional(),
    labels: z.record(name, Field).default({}),
    labels_from: Paths.optional(),
    annotations: z.record(name, Field).default({}),
    links_from: Paths.optional(),
    /** Texts that mean that there is no value. */
    missing: z.array(z.string()).max(MAX_NAMES).default([]),
  })
  // Asked even where something else is wrong: then the fields may be anything.
  .superRefine(judgeTogether, { when: ({ value }) => typeof value === 'object' && value !== null });
export type Mapping = z.infer<typeof Mapping>;

function judgeTogether(mapping: Partial<Mapping>, context: z.core.$RefinementCtx): void {
  const problem = (path: readonly string[], message: string) =>
    context.addIssue({ code: 'custom', path: [...path], message });
  if (mapping.ignore === undefined && mapping.title === undefined)
    problem(['title'], 'is needed: where the title of an alert is');
  for (const path of Object.keys(mapping.when ?? {}))
    if (!PathText.safeParse(path).success) problem(['when', path], 'the key must be a path');
  // A typo of resolved would be a word that counts as firing: an alert that never ends.
  for (const { path, word } of statusWords(mapping.status))
    if (!isState(word))
      problem(['status', ...path], `must be firing, resolved, acknowledged or ignored${didYouMean(word, STATES)}`);
}

function statusWords(
  status: Partial<Field> | undefined,
): readonly { readonly path: readonly string[]; readonly word: string }[] {
  const { map, ...single } = (typeof status === 'object' ? status : undefined) ?? {};
  const named = (['const', 'otherwise', 'default'] as const).map((key) => ({ path: [key], word: single[key] }));
  const mapped = Object.entries(map ?? {}).map(([from, word]) => ({ path: ['map', from], word }));
  return [...named, ...mapped].flatMap(({ path, word }) => (typeof word === 'string' ? [{ path, word }] : []));
}

const MappingList = z.array(Mapping).min(1).max(MAX_PATHS);

/** One mapping, or several of which the first that fits counts. Problems are told where they stand in the file. */
export const Mappings = z.unknown().transform((value, context) => {
  const isList = Array.isArray(value);
  const parsed = parseInWords(MappingList, isList ? value : [value]);
  if ('data' in parsed) return parsed.data;
  for (const { path, message } of parsed.mistakes)
    context.addIssue({ code: 'custom', path: isList ? [...path] : path.slice(1), message });
  return z.NEVER;
});
export type Mappings = z.infer<typeof Mappings>;
