import type { Toolbox } from '../agent/toolbox.ts';
import { openCommands, type Commands, type CommandSettings } from '../commands/open-commands.ts';
import { createReadTextFile } from '../commands/read-text-file.ts';
import type { Config } from '../config/schema.ts';
import type { CheckResult } from '../domain/check-result.ts';
import { builtInSkills, userSkills } from '../skills/folders.ts';

const MAX_OUTPUT_BYTES = 262_144;
const COMMANDS_AT_ONCE = 4;

/**
 * Where Rootnote's own state and credentials are, and what guides it: a playbook, a check or an earlier report that came back from a command would have
 * an evidence id.
 */
function ownPlaces(config: Config): readonly string[] {
  const places = [
    config.STATE_DIR,
    config.COMMANDS_KUBECONFIG,
    config.KUBERNETES_KUBECONFIG,
    config.REDIS_KEY_FILE,
    config.MCP_CONFIG_FILE,
    config.REPORT_DIR,
    config.JOBS_DIR,
  ];
  return [...places.filter((path) => path !== undefined), userSkills(config.SKILLS_DIR), builtInSkills()];
}

function settingsOf(config: Config): CommandSettings {
  return {
    stateDir: config.STATE_DIR,
    kubeconfig: config.COMMANDS_KUBECONFIG,
    rules: { roots: config.READ_ROOTS, closed: ownPlaces(config) },
    limits: { timeoutMs: config.COMMAND_TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES },
    atOnce: COMMANDS_AT_ONCE,
  };
}

/**
 * Commands and files of this machine, as parts of a toolbox; nothing where they are switched off, and nothing in a replay: this machine is not the one
 * that was recorded. `onDenied` is told the class of what the gate refused.
 */
export function openHost(
  config: Config,
  onDenied?: (risk: string) => void,
): Pick<Toolbox, 'runCommand' | 'readTextFile'> {
  if (!config.COMMANDS_ENABLED || config.RECORDING_DIR !== undefined) return {};
  const settings = settingsOf(config);
  const commands: Commands = openCommands(onDenied ? { ...settings, onDenied } : settings);
  return { runCommand: commands.run, readTextFile: createReadTextFile(settings.rules) };
}

/** Which programs the agent may start here. */
export async function checkHost(config: Config): Promise<CheckResult> {
  const name = 'commands';
  if (!config.COMMANDS_ENABLED) return { name, status: 'off', value: 'COMMANDS_ENABLED is false' };
  const programs = await openCommands(settingsOf(config)).programs();
  const cluster = programs.includes('kubectl') ? 'kubectl included' : 'no kubectl';
  const why = config.COMMANDS_KUBECONFIG === undefined ? ' (COMMANDS_KUBECONFIG is not set)' : '';
  return {
    name,
    status: 'ok',
    value: `${programs.length} read-only programs, ${cluster}${programs.includes('kubectl') ? '' : why}`,
  };
}
