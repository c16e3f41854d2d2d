import { parseCommand } from './app/arguments.ts';
import { lastWords } from './app/last-words.ts';
import { UsageError } from './app/options.ts';
import { runCommand } from './app/run-command.ts';

/** Command line → role. Exit codes: 0 done, 1 failed or something is broken, 2 the command line, a setting or the input is wrong. */
async function main(argv: readonly string[]): Promise<number> {
  try {
    return await runCommand(parseCommand(argv));
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`rootnote: ${error.message}; see rootnote --help\n`);
      return 2;
    }
    return sayLastWords(error);
  }
}

function sayLastWords(error: unknown): number {
  const { text, exitCode } = lastWords(error);
  process.stderr.write(text);
  return exitCode;
}

// Whoever reads our output may leave early (`rootnote reports list | head`), and a worker must outlive the reader of its log.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// Rejections that nobody handles come here, too.
process.on('uncaughtException', (error) => {
  sayLastWords(error);
  process.exit(1);
});

process.exitCode = await main(process.argv.slice(2));
