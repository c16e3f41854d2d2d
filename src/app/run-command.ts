import { loadConfig } from '../config/load-config.ts';
import { USAGE, type Command } from './arguments.ts';
import { investigateOnce } from './investigate-once.ts';
import { printReport } from './print-report.ts';
import { version } from './version.ts';

/** Runs one command to its end and returns the exit code. Results go to stdout, everything else to stderr. */
export async function runCommand(command: Command): Promise<number> {
  switch (command.kind) {
    case 'help':
      process.stdout.write(USAGE);
      return 0;
    case 'version':
      process.stdout.write(`${version()}\n`);
      return 0;
    case 'investigate':
      return runInvestigate(command);
    default:
      throw new Error('not yet');
  }
}

async function runInvestigate(command: Extract<Command, { kind: 'investigate' }>): Promise<number> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  const { report } = await investigateOnce(loadConfig(), {
    ...command,
    signal: stop.signal,
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
  const colour = process.stdout.isTTY;
  process.stdout.write(command.json ? `${JSON.stringify(report, null, 2)}\n` : `\n${printReport(report, { colour })}`);
  return 0;
}
