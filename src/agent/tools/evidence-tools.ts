import { z } from 'zod';
import { EVIDENCE_KINDS } from '../../domain/evidence.ts';
import { defineTool, ToolFailure } from './tool.ts';

/** What did not fit the brief is not lost: the model can ask for it. */
export const listEvidence = defineTool({
  name: 'list_evidence',
  description:
    'Lists evidence that was found but cut from the brief for space, by id; with `all`, also what the brief shows. Filter by kind and service.',
  input: z.strictObject({
    kind: z.enum(EVIDENCE_KINDS).optional(),
    service: z.string().trim().min(1).max(200).optional(),
    all: z.boolean().default(false),
  }),
  run(input, context) {
    // Evidence that is shown begins its line; suspects and quoted text only mention ids.
    const shown = new Set([...context.brief.text.matchAll(/^\[([A-Z]\d+)\]/gm)].map(([, id]) => id));
    const items = context.book
      .all()
      .filter((item) => input.all || !shown.has(item.id))
      .filter((item) => !input.kind || item.kind === input.kind)
      .filter((item) => !input.service || item.service?.toLowerCase() === input.service.toLowerCase());
    const searched = `evidence ${input.all ? 'of this run' : 'not shown in the brief'}, kind ${input.kind ?? 'any'}, service ${input.service ?? 'any'}`;
    return Promise.resolve({ kind: 'evidence', searched, items, notes: [] });
  },
});

export const getEvidence = defineTool({
  name: 'get_evidence',
  description: 'Returns evidence items by id, with time and query.',
  input: z.strictObject({ ids: z.array(z.string().trim().max(20)).min(1).max(10) }),
  run(input, context) {
    const items = input.ids.flatMap((id) => context.book.get(id) ?? []);
    const missing = input.ids.filter((id) => !context.book.get(id));
    if (items.length === 0) {
      return Promise.reject(
        new ToolFailure(`There is no evidence ${missing.join(', ')}. list_evidence says which ids exist.`),
      );
    }
    const notes = missing.length ? [`There is no evidence ${missing.join(', ')}.`] : [];
    return Promise.resolve({ kind: 'evidence', searched: `evidence ${input.ids.join(', ')}`, items, notes });
  },
});
