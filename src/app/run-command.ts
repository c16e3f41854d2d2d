import { examineOwnConfig, loadConfig, referredVariable } from '../config/load-config.ts';
import { misspelledVariables } from '../config/misspelled.ts';
import { sanitize } from '../policy/untrusted.ts';
import { investigates, type Command, type Role } from './arguments.ts';
import { interruptible } from './interruptible.ts';
import type { MemoryRequest } from './memory-command.ts';
import { createProcessRedactor } from './process-redactor.ts';
import { redactionPatterns } from './redaction-patterns.ts';
import type { SourcesRequest } from './sources-command.ts';
import { USAGE } from './usage.ts';
import { version } from './version.ts';
import { toJson } from './to-json.ts';

/** Longer than any server may take to say what it has. */
const REVIEW_TIMEOUT_MS = 60_000;

/** Progress quotes alerts and tool names: text that others wrote must not steer the terminal. */
const say = (line: string) => void process.stderr.write(`${sanitize(line)}\n`);

/**
 * Runs one command to its end and returns the exit code. Results go to stdout, everything else to stderr. What a command does is loaded when it is
 * called: a receiver starts in half the time without what investigates, and smaller.
 */
export async function runCommand(command: Command): Promise<number> {
  const colour = process.stdout.isTTY;
  switch (command.kind) {
    case 'help':
      return answer(USAGE);
    case 'version':
      return answer(`${version()}\n`);
    case 'classify': {
      const { classifyLines } = await import('./classify.ts');
      await classifyLines(process.stdin, process.stdout);
      return 0;
    }
    case 'redact': {
      const { redactLines } = await import('./redact-lines.ts');
      await redactLines(process.stdin, process.stdout, redactionPatterns(referredVariable('REDACT_PATTERNS_FILE')));
      return 0;
    }
    case 'role':
      return runRole(command.role);
    case 'investigate':
      return runInvestigation(command, colour);
    case 'doctor':
      return runDoctor(command.json, colour);
    case 'route': {
      const { tryRoute } = await import('./try-route.ts');
      return answer(tryRoute(loadConfig(), command, Date.now()));
    }
    case 'deliveries': {
      const { useDeliveries } = await import('./deliveries-command.ts');
      const { text, isRefused } = await useDeliveries(loadConfig(), command.request, say);
      return isRefused ? refuse(text) : answer(sanitize(text));
    }
    case 'skills': {
      const [{ showSkills }, { openSkillShelf }] = await Promise.all([
        import('./skills-command.ts'),
        import('./open-knowledge.ts'),
      ]);
      const text = await showSkills(openSkillShelf(loadConfig()), command);
      return answer(text, `there is no skill ${command.name ?? ''}; see rootnote skills list`);
    }
    case 'memory':
      return runMemory(command.request);
    case 'check-run':
      return runCheckOnce(command, colour);
    case 'checks':
      return runCheckList(command.json, colour);
    case 'mcp':
      return runMcpList(command.json, colour);
    case 'sources':
      return runSources(command.request);
    case 'incidents': {
      const { showIncidents } = await import('./incidents-command.ts');
      const text = await showIncidents(loadConfig(), command, say);
      return answer(text, `there is no incident or storm ${command.id ?? ''}; see rootnote incidents list`);
    }
    case 'timeline': {
      const { writeTimeline } = await import('./timeline-command.ts');
      const problem = await writeTimeline(loadConfig(), command, say);
      return problem === undefined ? 0 : refuse(problem);
    }
    case 'read': {
      const { readBack } = await import('./read-back.ts');
      const { text, isFound } = await readBack(loadConfig(), { ...command, colour }, say);
      return isFound ? answer(text) : refuse(text);
    }
  }
}

/** What was asked for, or else what is missing. */
function answer(text: string | undefined, missing = ''): number {
  if (text === undefined) return refuse(missing);
  process.stdout.write(text);
  return 0;
}

function refuse(problem: string): number {
  say(`rootnote: ${problem}`);
  return 1;
}

async function runMemory(request: MemoryRequest): Promise<number> {
  const config = loadConfig();
  const { useMemory } = await import('./memory-command.ts');
  const { text, isRefused } = await useMemory(config, request, { redactor: createProcessRedactor(config), say });
  return isRefused ? refuse(text) : answer(text);
}

async function runSources(request: SourcesRequest): Promise<number> {
  const config = loadConfig();
  const { useSources } = await import('./sources-command.ts');
  const { text, notes, isRefused } = await useSources(config, request, createProcessRedactor(config));
  process.stdout.write(text);
  notes.forEach(say);
  return isRefused ? 1 : 0;
}

/** Ends the process itself: a check that never settles, some system call for example, must not keep it alive. */
async function runDoctor(json: boolean, colour: boolean): Promise<number> {
  const [{ examineAll }, { printCheckup }] = await Promise.all([import('./examine-all.ts'), import('./doctor.ts')]);
  const results = await examineAll(examineOwnConfig(), misspelledVariables(), say);
  const code = results.some((result) => result.status === 'fail') ? 1 : 0;
  const text = json ? toJson(results) : printCheckup(results, { colour });
  await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
  process.exit(code);
}

async function runCheckOnce(command: Command & { kind: 'check-run' }, colour: boolean): Promise<number> {
  const { runCheck } = await import('./run-check.ts');
  return interruptible(async (signal) => {
    const { text, exitCode } = await runCheck(loadConfig(), { ...command, colour }, signal, say);
    process.stdout.write(text);
    return exitCode;
  }, say);
}

/** A broken file makes it fail, as a run of it would, and so does a folder that is not there. */
async function runCheckList(json: boolean, colour: boolean): Promise<number> {
  const config = loadConfig();
  const [{ listChecks }, { printChecks }] = await Promise.all([
    import('./list-checks.ts'),
    import('./print-checks.ts'),
  ]);
  const nowMs = Date.now();
  const list = await listChecks(config, say, nowMs);
  process.stdout.write(json ? toJson(list) : printChecks(list, { colour, nowMs }));
  return list.broken.length > 0 || list.missing !== null ? 1 : 0;
}

/** Asks every MCP server what it has, allowed or not. */
async function runMcpList(json: boolean, colour: boolean): Promise<number> {
  const config = loadConfig();
  const [{ openMcp }, { printMcp }] = await Promise.all([import('./open-mcp.ts'), import('./print-mcp.ts')]);
  const mcp = await openMcp(config);
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
  const [{ requireUsable }, { exitOnSignal, exitWhileStarting }] = await Promise.all([
    import('./examine-mistakes.ts'),
    import('./lifetime.ts'),
  ]);
  const config = requireUsable(examineOwnConfig());
  const starting = exitWhileStarting(config.SHUTDOWN_GRACE_MS);
  const { startRole } = await import('./start-role.ts');
  const { lifetime, log } = await startRole(role, config, { onTakingWork: () => starting.takesWork() });
  exitOnSignal(lifetime, log, config.SHUTDOWN_GRACE_MS);
  starting.dispose();
  if (investigates(role)) await (await import('./warm-up.ts')).warmUp(config);
  return 0;
}

async function runInvestigation(command: Command & { kind: 'investigate' }, colour: boolean): Promise<number> {
  const [{ investigateOnce }, { printReport }] = await Promise.all([
    import('./investigate-once.ts'),
    import('./print-report.ts'),
  ]);
  return interruptible(async (signal) => {
    const { report, session, sawTelemetry } = await investigateOnce(loadConfig(), {
      ...command,
      signal,
      onProgress: say,
    });
    if (command.brief) process.stdout.write(`\n${sanitize(session.brief)}\n`);
    const unstored = { ...report, session: null };
    process.stdout.write(command.json ? toJson(report) : `\n${printReport(unstored, { colour })}`);
    if (sawTelemetry) return 0;
    say('rootnote: no telemetry could be read; the gaps in the report say why');
    return 1;
  }, say);
}
