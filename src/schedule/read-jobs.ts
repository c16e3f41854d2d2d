import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { validateDetailed } from 'node-cron';
import { z } from 'zod';
import { FrontMatterError, parseFrontMatter } from '../platform/front-matter.ts';
import { parseInWords } from '../policy/explain-issues.ts';

const isTimeZone = (value: string): boolean => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: value }));
  } catch {
    return false;
  }
};

const Attributes = z.strictObject({
  cron: z
    .string()
    .refine((value) => value.trim().split(/\s+/).length === 5, 'must have five fields: minute hour day month weekday')
    .refine((value) => validateDetailed(value).valid, 'is not a cron expression'),
  timezone: z.string().refine(isTimeZone, 'is not an IANA time zone').default('UTC'),
  description: z.string().min(1).max(300),
  severity: z.enum(['info', 'warning', 'critical']).default('info'),
  enabled: z.boolean().default(true),
  labels: z.record(z.string(), z.string()).default({}),
});

/** A scheduled check as its file describes it. */
export interface Job extends z.infer<typeof Attributes> {
  readonly name: string;
  readonly prompt: string;
}

/** A file in the jobs folder that is no check: which file and line, what is wrong, what to do. */
export interface BrokenJob {
  readonly file: string;
  readonly problem: string;
}

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** Reads every `.md` file of the folder. A missing folder means no checks. Broken files are returned, never skipped silently. */
export async function readJobs(folder: string): Promise<{ jobs: readonly Job[]; broken: readonly BrokenJob[] }> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const jobs: Job[] = [];
  const broken: BrokenJob[] = [];
  for (const entry of entries.filter((name) => name.endsWith('.md') && name !== 'README.md').toSorted()) {
    const file = join(folder, entry);
    const result = parseJob(entry.slice(0, -'.md'.length), await readFile(file, 'utf8'));
    if ('problem' in result) broken.push({ file, problem: result.problem });
    else jobs.push(result);
  }
  return { jobs, broken };
}

function parseJob(name: string, text: string): Job | { readonly problem: string } {
  if (!NAME.test(name)) {
    return { problem: 'the file name must be lower-case letters, digits and hyphens, at most 64' };
  }
  try {
    const { attributes, body, lineOf } = parseFrontMatter(text);
    const read = parseInWords(Attributes, attributes);
    if ('mistakes' in read) {
      const told = read.mistakes.map(({ path: [key = 'front matter'], message }) => {
        return { line: lineOf(String(key)), message: `${String(key)} ${message}` };
      });
      const inOrder = told.toSorted((one, other) => one.line - other.line);
      return { problem: inOrder.map(({ line, message }) => `line ${line}: ${message}`).join('; ') };
    }
    if (body === '') return { problem: 'the body is empty: say below the front matter what the check looks for' };
    return { name, prompt: body, ...read.data };
  } catch (error) {
    if (error instanceof FrontMatterError) return { problem: error.message };
    throw error;
  }
}
