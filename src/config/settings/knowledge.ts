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
      'Where remembered facts are: file (STATE_DIR/memory.md; replicas need a common volume), redis (one list for all replicas), or auto: redis when one is set (REDIS_URL, REDIS_SENTINELS, REDIS_CLUSTER_NODES), else file.',
    ),
} as const;
