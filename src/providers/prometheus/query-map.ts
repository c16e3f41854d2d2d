import { z } from 'zod';
import { readSettingsFile } from '../../platform/settings-file.ts';
import { FileMistakes } from '../backend/read-file.ts';
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

const EXAMPLE =
  "`groups: [{ name: mine, when: { metric: up }, queries: [{ metric: up, service: [job], query: 'up{ {{scope}} }' }] }]`";

/** The text is no query map; each line of the message names the line of the file. */
export class QueryMapError extends FileMistakes {
  override readonly name = 'QueryMapError';
}

/** Reads a query map (YAML). Throws `QueryMapError`; `file` is only named in its message. */
export function loadQueryMap(text: string, file: string): QueryMap {
  const read = readSettingsFile(text, file, { schema: QueryMap, example: EXAMPLE });
  if ('problems' in read) throw new QueryMapError(read.problems, { cause: read.cause });
  return read.data;
}
