#!/usr/bin/env node
import { existsSync } from 'node:fs';

const inCheckout = existsSync(new URL('../src/main.ts', import.meta.url));
if (inCheckout) {
  const { ensureReady } = await import('../scripts/setup.mjs');
  try {
    await ensureReady();
  } catch (error) {
    process.stderr.write(`rootnote: ${error.message}\n`);
    process.exit(1);
  }
}
await import('../dist/src/main.js');
