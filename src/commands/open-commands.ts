import pLimit from 'p-limit';
import type { CommandResult, RunCommand } from '../agent/toolbox.ts';
import { classifyCommand, type Plan } from '../policy/shell/classify.ts';
import { STARTED_PROGRAMS } from '../policy/shell/programs/index.ts';
import { whyNotReadable, type ReadRules } from './check-readings.ts';
import { findPrograms, OF_CLUSTER } from './find-programs.ts';
import { runPlan, type RunLimits, type Runner } from './run-plan.ts';
import { openSurroundings } from './surroundings.ts';

export interface CommandSettings {
  /** Holds the empty folder that commands run in. */
  readonly stateDir: string;
  /** Of an identity that may read and nothing else. Unset: programs that need a cluster are not run. */
  readonly kubeconfig: string | undefined;
  readonly rules: ReadRules;
  readonly limits: RunLimits;
  /** Command lines at the same time; the rest waits. */
  readonly atOnce: number;
  readonly onDenied?: (risk: string) => void;
}

export interface Commands {
  readonly run: RunCommand;
  /** Names of the programs that are here and may be started, sorted. */
  readonly programs: () => Promise<readonly string[]>;
}

/** Returns the function that runs what the gate allows. The programs of this machine are looked for once, when they are first needed. */
export function openCommands(settings: CommandSettings): Commands {
  const queue = pLimit(settings.atOnce);
  let opened: Promise<Runner> | undefined;
  const open = () => (opened ??= openRunner(settings));
  return {
    programs: async () => [...(await findPrograms(wantedPrograms(settings))).keys()].toSorted(),
    run: (line, signal) => queue(async () => runLine(line, await open(), settings, signal)),
  };
}

function wantedPrograms({ kubeconfig }: CommandSettings): readonly string[] {
  return STARTED_PROGRAMS.filter((name) => kubeconfig !== undefined || !OF_CLUSTER.has(name));
}

async function openRunner(settings: CommandSettings): Promise<Runner> {
  const paths = await findPrograms(wantedPrograms(settings));
  return {
    paths,
    limits: settings.limits,
    surroundings: await openSurroundings(settings.stateDir, settings.kubeconfig),
  };
}

async function runLine(
  line: string,
  runner: Runner,
  settings: CommandSettings,
  signal: AbortSignal,
): Promise<CommandResult> {
  const deny = (risk: 'R1' | 'R2' | 'R3', reason: string): CommandResult => {
    settings.onDenied?.(risk);
    return { kind: 'denied', risk, reason };
  };
  const verdict = classifyCommand(line);
  if (!verdict.allowed) return deny(verdict.class, verdict.reason);
  const missing = missingProgram(verdict.plan, runner.paths);
  if (missing !== undefined) return deny('R2', missing);
  const why = await whyNotReadable(verdict.plan.readings, settings.rules);
  if (why !== undefined) return deny('R2', why);
  return { kind: 'ran', ...(await runPlan(verdict.plan, runner, signal)) };
}

function missingProgram({ steps }: Plan, paths: ReadonlyMap<string, string>): string | undefined {
  const name = steps.flatMap(({ stages }) => stages).find(({ program }) => !paths.has(program))?.program;
  if (name === undefined) return undefined;
  return OF_CLUSTER.has(name)
    ? `${name} is not here, or no cluster is configured for commands`
    : `${name} is not a program of this machine`;
}
