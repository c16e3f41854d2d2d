import { parseArgs } from 'node:util';

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

/** The options of a benchmark's command line. One that cannot be used ends the process with 2 and its usage. */
export function readOptions<const T extends Options>(usage: string, options: T) {
  try {
    return parseArgs({ options, allowPositionals: false }).values;
  } catch (error) {
    const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    return endWithUsage(problem, usage);
  }
}

/** What is wrong and how to call it; exit code 2. */
export function endWithUsage(problem: string, usage: string): never {
  process.stderr.write(`${problem}\nusage: ${usage}\n`);
  process.exit(2);
}
