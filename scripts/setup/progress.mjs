import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Something a person can put right. */
export class SetupError extends Error {}

export function say(line) {
  process.stderr.write(`[set-up] ${line}\n`);
}

/** Runs a program without a shell, its output kept for the case that it fails. Says every few seconds that it still works. */
export async function run(title, command, args) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  say(`${title} …`);
  const ticking = setInterval(() => say(`${title}: still working (${seconds()} s)`), 5000);
  try {
    await finish(title, spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] }));
  } finally {
    clearInterval(ticking);
  }
  say(`${title}: done in ${seconds()} s`);
}

function finish(title, child) {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output = (output + chunk).slice(-8000);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new SetupError(`${title} could not start: ${error.message}`)));
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new SetupError(`${title} failed (${code ?? signal}):\n${output.trim()}`));
    });
  });
}
