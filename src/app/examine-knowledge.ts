import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/schema.ts';
import type { CheckResult } from '../domain/check-result.ts';
import { counted } from '../domain/counted.ts';
import { createFileMemory } from '../memory/file-store.ts';
import { factsOf } from '../memory/store.ts';
import { builtInSkills, userSkills } from '../skills/folders.ts';
import { skillMistakes } from '../skills/skill-mistakes.ts';
import { createSkillShelf } from '../skills/skill-shelf.ts';
import { memoryPlace } from './open-memory.ts';

/** The playbooks there are, and every mistake in the user's: one without a description is never offered for an alert. */
export async function checkSkills({ SKILLS_DIR }: Config): Promise<CheckResult> {
  const name = 'playbooks';
  const builtIn = await createSkillShelf([builtInSkills()]).catalogue();
  const own = await createSkillShelf([userSkills(SKILLS_DIR)]).catalogue();
  const value = `${builtIn.length} built in, ${own.length} in ${SKILLS_DIR}`;
  const details = await skillMistakes(userSkills(SKILLS_DIR));
  if (details.length === 0) return { name, status: builtIn.length > 0 ? 'ok' : 'warn', value };
  const remedy = 'Mend what is told: no alert is offered these. The format is in skills/README.md.';
  return { name, status: 'warn', value: `${value}; ${counted(details.length, 'mistake')}`, details, remedy };
}

/** Where facts are, and how many. A file that is there and not read is likely a surprise. */
export async function checkMemory(config: Config): Promise<CheckResult> {
  const name = 'memory';
  const file = join(config.STATE_DIR, 'memory.md');
  if (memoryPlace(config) === 'file') {
    const facts = factsOf(await createFileMemory(config.STATE_DIR).read());
    return { name, status: 'ok', value: `${facts.length} facts in ${file}` };
  }
  const value = `in Redis, list ${config.REDIS_PREFIX}:memory`;
  if (!existsSync(file)) return { name, status: 'ok', value };
  const remedy = `${file} is not read: set MEMORY_STORE=file, or add its lines with rootnote memory add and move it away.`;
  return { name, status: 'warn', value, remedy };
}
