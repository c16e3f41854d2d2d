import { z } from 'zod';
import { flag, integer, list } from './kinds.ts';

export const host = {
  COMMANDS_ENABLED: flag
    .default(true)
    .describe(
      'The agent may run read-only commands that the gate allows (docs/security.md) and read files, on the machine where Rootnote runs. Not in replays.',
    ),
  COMMANDS_KUBECONFIG: z
    .string()
    .optional()
    .describe(
      'Kubeconfig of an identity with the role view and without Secrets, for kubectl and helm. Unset: they are not run.',
    ),
  COMMAND_TIMEOUT_MS: integer(100, 120_000).default(10_000).describe('Deadline of one command line of the agent.'),
  READ_ROOTS: list
    .default(['/var/log', '/var/lib', '/var/spool', '/etc', '/proc', '/sys', '/run', '/tmp', '/opt', '/srv', '/usr'])
    .describe(
      'Folders, comma separated, that files are read of. Keys, passwords, tokens, processes and devices are never read.',
    ),
} as const;
