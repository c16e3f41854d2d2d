import { constants } from 'node:os';
import { examineOwnConfig, loadConfig, referredVariable } from '../config/load-config.ts';
import { misspelledVariables } from '../config/misspelled.ts';
import { sanitize } from '../policy/untrusted.ts';
import type { Command, Role } from './arguments.ts';
import { classifyLines } from './classify.ts';
import { useDeliveries } from './deliveries-command.ts';
import { printCheckup } from './doctor.ts';
import { examineAll } from './examine-all.ts';
import { requireUsable } from './examine-mistakes.ts';
import { showIncidents } from './incidents-command.ts';
import { investigateOnce } from './investigate-once.ts';
import { exitOnSignal, exitWhileStarting } from './lifetime.ts';
import { useMemory, type MemoryRequest } from './memory-command.ts';
import { openSkillShelf } from './open-knowledge.ts';
import { openMcp } from './open-mcp.ts';
import { createProcessRedactor } from './parts.ts';
import { printMcp } from './print-mcp.ts';
import { printReport } from './print-report.ts';
import { readBack } from './read-back.ts';
import { redactLines } from './redact-lines.ts';
import { redactionPatterns } from './redaction-patterns.ts';
import { showSkills } from './skills-command.ts';
import { useSources, type SourcesRequest } from './sources-command.ts';
import { startRole } from './start-role.ts';
import { writeTimeline } from './timeline-command.ts';
import { tryRoute } from './try-route.ts';
import { USAGE } from './usage.ts';
import { version } from './version.ts';

/** Longer than any server may take to say what it has. */
const REVIEW_TIMEOUT_MS = 60_000;

/** Progress quotes alerts and tool names: text that others wrote must not steer the terminal. */
const say = (line: string) => void process.stderr.write(`${sanitize(line)}\n`);

/** Runs one command to its end and returns the exit code. Results go to stdout, everything else to stderr. */
export async function runCommand(command: Command): Promise<number> {
  const colour = process.stdout.isTTY;
  switch (command.kind) {
    case 'help':
      process.stdout.write(USAGE);
      return 0;
    case 'version':
      process.stdout.write(`${version()}\n`);
      return 0;
    case 'classify':
      await classifyLines(process.stdin, process.stdout);
      return 0;
    case 'redact':
      await redactLines(process.stdin, process.stdout, redactionPatterns(referredVariable('REDACT_PATTERNS_FILE')));
      return 0;
    case 'role':
      return runRole(command.role);
    case 'investigate':
      return runInvestigation(command, colour);
    case 'doctor':
      return runDoctor(command.json, colour);
    case 'route':
      process.stdout.write(tryRoute(loadConfig(), command, Date.now()));
      return 0;
    case 'deliveries': {
      const { text, isRefused } = await useDeliveries(loadConfig(), command.request, say);
      if (isRefused) say(`rootnote: ${text}`);
      else process.stdout.write(sanitize(text));
      return isRefused ? 1 : 0;
    }
    case 'skills': {
      const text = await showSkills(openSkillShelf(loadConfig()), command);
      if (text !== undefined) process.stdout.write(text);
      else say(`rootnote: there is no skill ${command.name ?? ''}; see rootnote skills list`);
      return text === undefined ? 1 : 0;
    }
    case 'memory':
      return runMemory(command.request);
    case 'mcp':
      return runMcpList(command.json, colour);
    case 'sources':
      return runSources(command.request);
    case 'incidents': {
      const text = await showIncidents(loadConfig(), command, say);
      if (text !== undefined) process.stdout.write(text);
      else say(`rootnote: there is no incident or storm ${command.id ?? ''}; see rootnote incidents list`);
      return text === undefined ? 1 : 0;
    }
    case 'timeline': {
      const problem = await writeTimeline(loadConfig(), command, say);
      if (problem !== undefined) say(`rootnote: ${problem}`);
      return problem === undefined ? 0 : 1;
    }
    case 'read': {
      const { text, isFound } = await readBack(loadConfig(), { ...command, colour }, say);
      if (isFound) process.stdout.write(text);
      else say(`rootnote: ${text}`);
      return isFound ? 0 : 1;
    }
  }
}

async function runMemory(request: MemoryRequest): Promise<number> {
  const config = loadConfig();
  const { text, isRefused } = await useMemory(config, request, { redactor: createProcessRedactor(config), say });
  if (isRefused) say(`rootnote: ${text}`);
  else process.stdout.write(text);
  return isRefused ? 1 : 0;
}

async function runSources(request: SourcesRequest): Promise<number> {
  const config = loadConfig();
  const { text, notes, isRefused } = await useSources(config, request, createProcessRedactor(config));
  process.stdout.write(text);
  notes.forEach(say);
  return isRefused ? 1 : 0;
}

/** Ends the process itself: a check that never settles, some system call for example, must not keep it alive. */
async function runDoctor(json: boolean, colour: boolean): Promise<number> {
  const results = await examineAll(examineOwnConfig(), misspelledVariables(), say);
  const code = results.some((result) => result.status === 'fail') ? 1 : 0;
  const text = json ? toJson(results) : printCheckup(results, { colour });
  await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
  process.exit(code);
}

/** Asks every MCP server what it has, allowed or not. */
async function runMcpList(json: boolean, colour: boolean): Promise<number> {
  const config = loadConfig();
  const mcp = openMcp(config);
  try {
    const reviews = await mcp.review(AbortSignal.timeout(REVIEW_TIMEOUT_MS));
    const text = json ? toJson(reviews) : printMcp(reviews, { colour });
    process.stdout.write(createProcessRedactor(config).redact(text));
    return reviews.some(({ problem }) => problem !== null) ? 1 : 0;
  } finally {
    await mcp.stop();
  }
}

/** Starts the role and returns; the process lives until a signal ends it. */
async function runRole(role: Role): Promise<number> {
  const config = requireUsable(examineOwnConfig());
  const starting = exitWhileStarting();
  const { lifetime, log } = await startRole(role, config);
  exitOnSignal(lifetime, log, config.SHUTDOWN_GRACE_MS);
  starting.dispose();
  return 0;
}

/** One investigation. A signal ends it with no report and the exit code that shells give a program which that signal ended. */
async function runInvestigation(command: Command & { kind: 'investigate' }, colour: boolean): Promise<number> {
  const stop = new AbortController();
  let signal: NodeJS.Signals | undefined;
  const interrupt = (name: NodeJS.Signals) => {
    signal = name;
    stop.abort();
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    const options = { ...command, signal: stop.signal, onProgress: say };
    const { report, session, sawTelemetry } = await investigateOnce(loadConfig(), options);
    if (command.brief) process.stdout.write(`\n${sanitize(session.brief)}\n`);
    const unstored = { ...report, session: null };
    process.stdout.write(command.json ? toJson(report) : `\n${printReport(unstored, { colour })}`);
    if (sawTelemetry) return 0;
    say('rootnote: no telemetry could be read; the gaps in the report say why');
    return 1;
  } catch (error) {
    if (signal === undefined) throw error;
    say(`rootnote: stopped by ${signal}; there is no report`);
    return 128 + constants.signals[signal];
  }
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
