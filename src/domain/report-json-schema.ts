import { z } from 'zod';
import { Report } from './report.ts';

/** Text of docs/report.schema.json: the report, schema version 1, as JSON Schema 2020-12. */
export function reportJsonSchema(): string {
  const schema = z.toJSONSchema(Report, { target: 'draft-2020-12' });
  return `${JSON.stringify({ ...schema, title: 'Rootnote report, schema version 1' }, null, 2)}\n`;
}
