import type { SkillShelf } from '../agent/toolbox.ts';
import { sanitize } from '../policy/untrusted.ts';

export interface SkillsRequest {
  /** Absent: the catalogue. */
  readonly name?: string;
  readonly json: boolean;
}

/** What `rootnote skills` prints; undefined when there is no skill of that name. */
export async function showSkills(shelf: SkillShelf, { name, json }: SkillsRequest): Promise<string | undefined> {
  if (name === undefined) {
    const entries = await shelf.catalogue();
    if (json) return `${JSON.stringify(entries, null, 2)}\n`;
    const width = Math.max(0, ...entries.map((entry) => entry.name.length));
    return entries.map((entry) => `${entry.name.padEnd(width)}  ${entry.description}\n`).join('') || 'No skills.\n';
  }
  const body = await shelf.load(name);
  if (body === undefined) return undefined;
  return json ? `${JSON.stringify({ name, body }, null, 2)}\n` : `${sanitize(body)}\n`;
}
