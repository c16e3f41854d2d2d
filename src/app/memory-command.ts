import { resolve } from 'node:path';
import type { Redis } from 'ioredis';
import type { Config } from '../config/schema.ts';
import { createMemory } from '../memory/memory.ts';
import type { MemoryStore } from '../memory/store.ts';
import { describeTarget } from '../platform/redis.ts';
import type { Redactor } from '../policy/redact.ts';
import { sanitize } from '../policy/untrusted.ts';
import { memoryPlace, openMemoryStore } from './open-memory.ts';
import { connectOnce, openRedis } from './open-redis.ts';
import { toJson } from './to-json.ts';

export type MemoryRequest =
  | { readonly verb: 'list'; readonly json: boolean }
  | { readonly verb: 'path' }
  | { readonly verb: 'add'; readonly fact: string };

export interface MemoryAnswer {
  readonly text: string;
  /** A fact was refused; `text` says why. */
  readonly isRefused: boolean;
}

/** What `rootnote memory` prints. Throws RedisUnreachable where the facts are in a Redis that is away. */
export async function useMemory(
  config: Config,
  request: MemoryRequest,
  { redactor, say }: { readonly redactor: Redactor; readonly say: (line: string) => void },
): Promise<MemoryAnswer> {
  const { store, where, close } = await openPlace(config, say);
  try {
    switch (request.verb) {
      case 'path':
        return { text: `${where}\n`, isRefused: false };
      case 'add':
        return await add(store, request.fact, redactor);
      case 'list':
        return { text: list(await store.read(), request.json, redactor), isRefused: false };
    }
  } finally {
    await close();
  }
}

interface Place {
  readonly store: MemoryStore;
  readonly where: string;
  readonly close: () => Promise<void>;
}

async function openPlace(config: Config, say: (line: string) => void): Promise<Place> {
  if (memoryPlace(config) === 'file') {
    const store = storeOf(config, undefined);
    return { store, where: resolve(store.place), close: async () => {} };
  }
  const opened = await openRedis(config, say);
  try {
    const redis = await connectOnce(opened.target);
    const store = storeOf(config, redis);
    const close = async () => {
      redis.disconnect();
      await opened.stop();
    };
    return { store, where: `${store.place}, ${describeTarget(opened.target)}`, close };
  } catch (error) {
    await opened.stop();
    throw error;
  }
}

function storeOf(config: Config, redis: Redis | undefined): MemoryStore {
  const store = openMemoryStore(config, redis);
  if (!store) throw new Error('a memory in Redis needs a connection');
  return store;
}

async function add(store: MemoryStore, fact: string, { redact }: Redactor): Promise<MemoryAnswer> {
  const memory = createMemory(store, { redact, now: Date.now, writer: 'person' });
  const answer = await memory.remember(fact);
  if (answer.kind === 'refused') return { text: `not remembered: ${answer.why}`, isRefused: true };
  return { text: answer.kind === 'kept' ? 'remembered\n' : 'known already\n', isRefused: false };
}

/** As people read it, redacted like all that leaves the process. */
function list(text: string, json: boolean, { redact }: Redactor): string {
  const lines = redact(sanitize(text)).split('\n').filter(Boolean);
  if (json) return toJson(lines);
  return lines.length === 0 ? 'Nothing is remembered yet.\n' : `${lines.join('\n')}\n`;
}
