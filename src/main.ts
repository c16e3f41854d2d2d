import { parseCommand, USAGE, UsageError, type Command } from './app/arguments.ts';
import { InputError } from './app/investigate-once.ts';
import { runCommand } from './app/run-command.ts';
import { ConfigError } from './config/load-config.ts';

/** Command line → role. Exit codes: 0 done, 1 failed or something is broken, 2 the command line or the input is wrong. */
async function main(argv: readonly string[]): Promise<number> {
  let command: Command;
  try {
    command = parseCommand(argv);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`rootnote: ${error.message}\n\n${USAGE}`);
    return 2;
  }
  try {
    return await runCommand(command);
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof InputError)) throw error;
    process.stderr.write(`rootnote: ${error.message}\n`);
    return 2;
  }
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`rootnote: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  },
);
