#!/usr/bin/env node
// Runs jest; arguments are passed on: `npm test -- test/unit/funnel -t 'SPEC C2'`. Run after set-up.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const jest = fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url));
// By environment, since jest's worker processes need them too: ES modules in its sandbox, and no warning about them per file.
const nodeOptions = [process.env.NODE_OPTIONS, '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

const child = spawn(process.execPath, [jest, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, NODE_OPTIONS: nodeOptions.filter(Boolean).join(' ') },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
