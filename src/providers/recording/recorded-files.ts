import { createReadStream } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { createGunzip } from 'node:zlib';
import { ProviderError } from '../../domain/provider.ts';
import type { Gap } from '../../domain/telemetry.ts';

/** Decompressed characters read of one file; what follows is left out and said so. What is kept of them has bounds of its own. */
const MAX_FILE_CHARACTERS = 2_000_000_000;

/**
 * The files of one recording. A recording may come from a stranger (a bug report), so only regular files inside the recording's
 * parent folder are read. Whatever goes wrong with a file is a gap, never an exception.
 */
export class RecordingFolder {
  readonly dir: string;
  readonly gaps: Gap[] = [];
  /** Characters read of all files so far, decompressed. */
  characters = 0;
  readonly #root: string;
  readonly #names: ReadonlySet<string>;
  readonly #signal: AbortSignal | undefined;

  private constructor(dir: string, root: string, names: ReadonlySet<string>, signal: AbortSignal | undefined) {
    this.dir = dir;
    this.#root = root;
    this.#names = names;
    this.#signal = signal;
  }

  /** Throws `ProviderError` when there is no such folder: then there is nothing to investigate. */
  static async open(dir: string, signal?: AbortSignal): Promise<RecordingFolder> {
    try {
      const [root, names] = await Promise.all([realpath(path.dirname(await realpath(dir))), readdir(dir)]);
      return new RecordingFolder(path.resolve(dir), root, new Set(names), signal);
    } catch (error) {
      const message = `${dir} is not a readable folder: name the folder of a recording (it holds alert.json, metrics.csv.gz, …)`;
      throw new ProviderError('recording', message, { cause: error });
    }
  }

  /** A folder next to this one (`baseline_ref`), or undefined with a gap: it may not lie outside the recording's parent folder. */
  async openSibling(reference: string): Promise<RecordingFolder | undefined> {
    const parents = [path.dirname(this.dir), this.#root];
    for (const parent of parents) {
      const dir = await realpath(path.resolve(parent, reference)).catch(() => undefined);
      if (dir === undefined) continue;
      if (!isInside(this.#root, dir)) {
        this.addGap(
          'case.json: baseline_ref leads out of the folder of recordings; it was not read. Use a sibling folder.',
        );
        return undefined;
      }
      const names = await readdir(dir).catch(() => undefined);
      if (names) return new RecordingFolder(dir, this.#root, new Set(names), this.#signal);
    }
    this.addGap(
      `case.json: baseline_ref names ${JSON.stringify(reference.slice(0, 100))}, which is not a folder here.`,
    );
    return undefined;
  }

  addGap(message: string): void {
    this.gaps.push({ source: 'recording', message });
  }

  /** Runs a reading that will be done again: its characters and gaps do not count. */
  async withoutAccount<T>(read: () => Promise<T>): Promise<T> {
    const { characters, gaps } = { characters: this.characters, gaps: this.gaps.length };
    const result = await read();
    this.characters = characters;
    this.gaps.length = gaps;
    return result;
  }

  /** The name as it lies in the folder, plain or with `.gz`. */
  find(name: string): string | undefined {
    return [name, `${name}.gz`].find((candidate) => this.#names.has(candidate));
  }

  /**
   * Feeds the decompressed text of a file to `onText`, piece by piece; false from it stops the reading. Returns the file's name, or
   * undefined when there is none. A damaged file gives what lies before the damage, and a gap.
   */
  async read(name: string, onText: (text: string) => boolean): Promise<string | undefined> {
    const found = this.find(name);
    if (found === undefined) return undefined;
    const decoder = new TextDecoder();
    let size = 0;
    const take = (text: string): boolean => {
      size += text.length;
      this.characters += text.length;
      if (size > MAX_FILE_CHARACTERS) {
        this.addGap(
          `${found}: read the first ${MAX_FILE_CHARACTERS} characters; the rest was left out. Record a shorter time.`,
        );
        return false;
      }
      return onText(text);
    };
    try {
      await readBytes(
        await this.#regularFile(found),
        (bytes) => take(decoder.decode(bytes, { stream: true })),
        this.#signal,
      );
      take(decoder.decode());
    } catch (error) {
      this.#signal?.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      this.addGap(
        `${found}: damaged after ${size} characters (${reason}); what came before is used. Copy the file again.`,
      );
    }
    return found;
  }

  /** A whole JSON file; undefined when it is missing, or broken (then with a gap). */
  async readJson(name: string): Promise<unknown> {
    const pieces: string[] = [];
    const found = await this.read(name, (text) => pieces.push(text) > 0);
    if (found === undefined) return undefined;
    try {
      return JSON.parse(pieces.join('')) as unknown;
    } catch {
      this.addGap(`${found}: not valid JSON, so it was left out. Repair or copy the file again.`);
      return undefined;
    }
  }

  async #regularFile(name: string): Promise<string> {
    const file = await realpath(path.join(this.dir, name));
    if (!isInside(this.#root, file)) throw new Error('it is a link that leads out of the recording');
    if (!(await stat(file)).isFile()) throw new Error('it is not a regular file');
    return file;
  }
}

function isInside(root: string, target: string): boolean {
  const relative = path.relative(root, target);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}

/** Plain or gzip, told apart by the first bytes rather than by the name. */
async function readBytes(
  file: string,
  onBytes: (bytes: Buffer) => boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  const isGzip = await startsAsGzip(file);
  // Opened only now: a stream that fails before anybody iterates over it would be an unhandled error.
  const source = createReadStream(file, signal ? { signal } : {}) as AsyncIterable<Buffer>;
  if (isGzip) return gunzip(source, onBytes);
  for await (const chunk of source) if (!onBytes(chunk)) return;
}

async function startsAsGzip(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await handle.close();
  }
}

/**
 * Writes piece by piece and ends only after the last piece came through: ended earlier, zlib would throw away what a truncated
 * file still holds.
 */
async function gunzip(source: AsyncIterable<Buffer>, onBytes: (bytes: Buffer) => boolean): Promise<void> {
  const stream = createGunzip();
  let wanted = true;
  stream.on('data', (bytes: Buffer) => {
    if (wanted) wanted = onBytes(bytes);
  });
  const ended = new Promise<void>((resolve, reject) => {
    stream.on('end', resolve);
    stream.on('error', reject);
  });
  ended.catch(() => undefined);
  try {
    for await (const chunk of source) {
      if (!wanted) return;
      const written = new Promise<void>((resolve) => void stream.write(chunk, () => resolve()));
      await Promise.race([written, ended]);
    }
    stream.end();
    await ended;
  } finally {
    stream.destroy();
  }
}
