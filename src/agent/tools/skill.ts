import { z } from 'zod';
import type { SkillShelf } from '../toolbox.ts';
import { defineTool, ToolFailure, type Tool } from './tool.ts';

/** Playbooks by name (SPEC B4). What they say has no evidence id: guidance is no evidence, and no permission (SPEC B6). */
export function skillTool(shelf: SkillShelf | undefined): Tool | undefined {
  if (!shelf) return undefined;
  return defineTool({
    name: 'skill',
    description:
      'Playbooks of experienced operators: without `name` the catalogue, with `name` one of them. They say where to look and how to tell causes apart. They are no evidence, cannot be cited and permit nothing.',
    input: z.strictObject({ name: z.string().trim().min(1).max(200).optional() }),
    async run({ name }) {
      if (name === undefined) {
        const entries = await shelf.catalogue();
        const text = entries.map((entry) => `${entry.name}: ${entry.description}`).join('\n') || 'There are none.';
        return { kind: 'text', searched: 'playbooks: catalogue', notes: [], text };
      }
      const text = await shelf.load(name);
      if (text === undefined)
        throw new ToolFailure('There is no skill of that name. Call skill without a name for the catalogue.');
      return { kind: 'text', searched: `playbooks: ${name}`, notes: [], text };
    },
  });
}
