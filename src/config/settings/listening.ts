import { z } from 'zod';
import { integer } from './kinds.ts';

export const listening = {
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  PORT: integer(0, 65535).default(8080).describe('Port to listen on; 0 picks a free one.'),
  STATE_DIR: z.string().default('.rootnote').describe('Folder for the embedded Redis and report files.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least level that is logged: fatal, error, warn, info, debug, trace or silent.'),
  SHUTDOWN_GRACE_MS: integer(1000, 600_000)
    .default(25_000)
    .describe('Time to finish or checkpoint work after SIGTERM.'),
} as const;
