import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.ts';
import { exitOnSignal } from '../../src/app/lifetime.ts';
import { startRole } from '../../src/app/start-role.ts';

/**
 * A worker as `rootnote work` starts it, with a place to die at. The product itself has no such setting: what stops here is handed in.
 * - FAULT_STOP_AT: a step of a delivery to Slack (`claimed`, `posted`, `confirmed`). It says `stopped at …` and does not go on there, once a process and
 *   once an incident, which is noted as a file of FAULT_NOTED_IN.
 * - FAULT_FREEZE_AT: such a step; once a process, it says `frozen at …` and stops itself (SIGSTOP).
 * - FAULT_POISON: a value of the label `case`. A worker that begins to investigate that alert ends at once.
 */
const { FAULT_STOP_AT: stopAt, FAULT_NOTED_IN: notedIn = '' } = process.env;
const { FAULT_FREEZE_AT: freezeAt, FAULT_POISON: poison } = process.env;

const config = loadConfig();
let hasStopped = false;
const { lifetime, log } = await startRole('work', config, {
  onDeliveryStep: async (step, { subjectId, destination }) => {
    if (hasStopped || destination !== 'slack') return;
    if (step === freezeAt) {
      hasStopped = true;
      process.stdout.write(`frozen at ${step} ${subjectId}\n`);
      process.kill(process.pid, 'SIGSTOP');
    }
    if (step !== stopAt) return;
    hasStopped = true;
    hasStopped = await isFirst(`${step}-${subjectId}`);
    if (!hasStopped) return;
    process.stdout.write(`stopped at ${step} ${subjectId}\n`);
    await new Promise(() => undefined);
  },
  onStage: ({ labels }) => {
    if (poison !== undefined && labels['case'] === poison) process.kill(process.pid, 'SIGKILL');
  },
});
exitOnSignal(lifetime, log, config.SHUTDOWN_GRACE_MS);

async function isFirst(name: string): Promise<boolean> {
  try {
    await (await open(join(notedIn, name), 'wx')).close();
    return true;
  } catch {
    return false;
  }
}
