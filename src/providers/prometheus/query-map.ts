import { isMap, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml';
import { z } from 'zod';
import { barePlaceholders } from './promql.ts';

/** What a template may hold outside its strings. `services` stands for the labels that name the service. */
const FIXED_PLACEHOLDERS = ['scope', 'rate', 'window'] as const;

const promql = (...known: readonly string[]) =>
  z
    .string()
    .min(1)
    .superRefine((template, context) => {
      for (const name of barePlaceholders(template)) {
        if (known.includes(name)) continue;
        const message = `{{${name}}} must stand inside a quoted string: label values are never PromQL (outside, only ${known.join(', ')})`;
        context.addIssue({ code: 'custom', message });
      }
    });
const labelName = z.string().regex(/^[a-zA-Z_]\w*$/, 'must be a label name');

/** When a group is asked: its metric must exist, and the alert must carry these labels. */
const Condition = z.strictObject({
  metric: z.string().regex(/^[a-zA-Z_:][\w:]*$/, 'must be the name of a metric'),
  labels: z.array(labelName).default([]),
});

/** Label that holds the namespace in these metrics; `none` for metrics that belong to no namespace. */
const namespaceLabel = labelName.default('namespace');

const MetricTemplate = z
  .strictObject({
    metric: z.string().min(1).max(200),
    unit: z.string().optional(),
    /** Result labels that name the service, most telling first. */
    service: z.array(labelName).min(1),
    scope: z.enum(['service', 'neighbours', 'namespace']).default('namespace'),
    query: promql(...FIXED_PLACEHOLDERS, 'services'),
  })
  .refine((template) => template.scope === 'namespace' || template.service.length === 1, {
    path: ['service'],
    message: 'must be exactly one label when the scope is service or neighbours: it becomes a matcher',
  });
export type MetricTemplate = z.infer<typeof MetricTemplate>;

const QueryGroup = z.strictObject({
  name: z.string().min(1),
  when: Condition,
  namespace: namespaceLabel,
  queries: z.array(MetricTemplate).min(1),
});
export type QueryGroup = z.infer<typeof QueryGroup>;

const TopologyTemplate = z.strictObject({
  name: z.string().min(1),
  when: Condition,
  namespace: namespaceLabel,
  query: promql(...FIXED_PLACEHOLDERS),
  from: labelName,
  to: labelName,
});
export type TopologyTemplate = z.infer<typeof TopologyTemplate>;

export const QueryMap = z.strictObject({
  topology: z.array(TopologyTemplate).default([]),
  groups: z.array(QueryGroup),
});
export type QueryMap = z.infer<typeof QueryMap>;

/** The text is no query map; each line of the message names the line of the file. */
export class QueryMapError extends Error {
  override readonly name = 'QueryMapError';
}

/** Reads a query map (YAML). Throws `QueryMapError`; `file` is only named in its message. */
export function loadQueryMap(text: string, file: string): QueryMap {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken) {
    const [summary = ''] = broken.message.split('\n', 1);
    throw new QueryMapError(`${file}:${lines.linePos(broken.pos[0]).line}: ${summary}`, { cause: broken });
  }
  const parsed = QueryMap.safeParse(document.toJS({ maxAliasCount: 100 }));
  if (parsed.success) return parsed.data;
  const messages = parsed.error.issues.slice(0, 10).map((issue) => {
    const line = lineOf(document, issue.path, lines);
    return `${file}:${line}: ${issue.path.map(String).join('.') || 'the file'}: ${issue.message}`;
  });
  throw new QueryMapError(messages.join('\n'), { cause: parsed.error });
}

/** Line of the deepest node on the path that exists: a missing key has no line, but its map has. */
function lineOf(document: Document, path: readonly PropertyKey[], lines: LineCounter): number {
  let offset = 0;
  let node: unknown = document.contents;
  for (const key of [undefined, ...path]) {
    if (key !== undefined) node = isMap(node) || isSeq(node) ? node.get(key, true) : undefined;
    const range = (node as Node | null | undefined)?.range;
    if (!range) break;
    offset = range[0];
  }
  return lines.linePos(offset).line;
}
