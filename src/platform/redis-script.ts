import { Command, type Redis } from 'ioredis';
import { hash } from 'node:crypto';

type Argument = string | number;

/**
 * A way to run one Lua script with large texts, by the thousand; for any other `defineCommand` is simpler. What was sent is let go as soon as it is answered
 * or given up; should ioredis send such a command again all the same, Redis refuses it for want of arguments. A command of ioredis keeps them, and under load V8
 * moved whole seconds of answered ones into its old generation, where they stayed until the next full collection.
 *
 * Of the arguments the first `numberOfKeys` are keys. A server that does not know the script gets it in a second command. Rejects as a command does.
 */
export function createScript(
  redis: Redis,
  lua: string,
  numberOfKeys: number,
): (args: readonly Argument[]) => Promise<unknown> {
  const digest = hash('sha1', lua, 'hex');
  const run = async (name: 'evalsha' | 'eval', script: string, args: readonly Argument[]): Promise<unknown> => {
    const command = new Command(name, [script, numberOfKeys, ...args], { replyEncoding: 'utf8' });
    try {
      return await redis.sendCommand(command);
    } finally {
      command.args = [];
    }
  };
  return async (args) => {
    try {
      return await run('evalsha', digest, args);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return run('eval', lua, args);
    }
  };
}

/** Of a server that was started anew, or took the place of another. */
function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}
