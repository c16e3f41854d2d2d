import { z } from 'zod';

export const checks = {
  JOBS_DIR: z.string().default('jobs').describe('Folder with scheduled checks, one Markdown file each.'),
} as const;
