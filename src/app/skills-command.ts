import type { SkillShelf } from '../agent/toolbox.ts';
import { sanitize } from '../policy/untrusted.ts';
import { toJson } from './to-json.ts';

export interface SkillsRequest {
  /** Absent: the catalogue. */
  readonly name?: string;
  readonly json: boolean;
}

/** What `rootnote skills` prints; undefined when there is no skill of that name. */
export async function showSkills(shelf: SkillShelf, { name, json }: SkillsRequest): Promise<string | undefined> {
  if (name === undefined) {
    const entries = await shelf.catalogue();
    if (json) return toJson(entries);
    const width = Math.max(0, ...entries.map((entry) => entry.name.length));
    return entries.map((entry) => `${entry.name.padEnd(width)}  ${entry.description}\n`).join('') || 'No skills.\n';
  }
  const body = await shelf.load(name);
  if (body === undefined) return undefined;
  return json ? toJson({ name, body }) : `${sanitize(body)}\n`;
}
