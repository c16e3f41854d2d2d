import { z } from 'zod';

export const knowledge = {
  SKILLS_DIR: z
    .string()
    .default('~/.rootnote/skills')
    .describe('Folder with playbooks of your own; one of the same name goes before a built-in one (skills/README.md).'),
  MEMORY_STORE: z
    .enum(['auto', 'file', 'redis'])
    .default('auto')
    .describe(
      'Where remembered facts are: file (STATE_DIR/memory.md; replicas need a common volume), redis (one list for all replicas), or auto: redis when REDIS_URL is set, else file.',
    ),
} as const;
