import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { withLockFile } from '../platform/lock-file.ts';
import { factsOf, lineOf, MAX_MEMORY_BYTES, type MemoryStore } from './store.ts';

const OWNER_ONLY = 0o600;
/** A write takes milliseconds. */
const LOCK = { waitMs: 5000, staleAfterMs: 60_000 } as const;
/** Nobody else's file by way of a link: what is written here is read into prompts. */
/** Nor a wait for the other end of a pipe. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW;

/** `memory.md` of a folder, append-only, and `memory-audit.jsonl` beside it. People may edit the file at any time. */
export function createFileMemory(folder: string): MemoryStore {
  const path = join(folder, 'memory.md');
  const audit = join(folder, 'memory-audit.jsonl');
  let cached = { version: '', text: '' };

  const read = async (): Promise<string> => {
    const file = await openIfThere(path);
    if (!file) return '';
    try {
      const { mtimeNs, size } = await file.stat({ bigint: true });
      const version = `${mtimeNs}:${size}`;
      if (version !== cached.version) cached = { version, text: await readEnd(file, Number(size)) };
      return cached.text;
    } finally {
      await file.close();
    }
  };
  return {
    place: path,
    read,
    append: async (fact, date, entry) => {
      await mkdir(folder, { recursive: true });
      return withLockFile(`${path}.lock`, LOCK, async () => {
        const text = await read();
        if (factsOf(text).includes(fact)) return 'known';
        const line = `${lineOf(fact, date)}\n`;
        if (Buffer.byteLength(text) + Buffer.byteLength(line) > MAX_MEMORY_BYTES) return 'full';
        // The audit first: a fact that nobody can account for is worse than an entry without its fact.
        await appendTo(audit, `${JSON.stringify(entry)}\n`);
        // People's editors leave files without a last line end.
        await appendTo(path, text === '' || text.endsWith('\n') ? line : `\n${line}`);
        return 'kept';
      });
    },
  };
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, READ);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The last `MAX_MEMORY_BYTES`, whole lines. Only a file that people have filled is longer; what a prompt gets of it is far from the cut, so that a
 * secret's beginning is not cut from its end.
 */
async function readEnd(file: FileHandle, size: number): Promise<string> {
  const length = Math.min(size, MAX_MEMORY_BYTES);
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, size - length);
  const text = buffer.toString('utf8', 0, bytesRead);
  return length < size ? text.slice(text.indexOf('\n') + 1) : text;
}

async function appendTo(path: string, text: string): Promise<void> {
  const file = await open(path, APPEND, OWNER_ONLY);
  try {
    await file.chmod(OWNER_ONLY);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
