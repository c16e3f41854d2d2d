import { constants } from 'node:fs';
import { open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { ReadTextFile } from '../agent/toolbox.ts';
import { ToolFailure } from '../agent/tools/tool.ts';
import { whyNotRead } from '../policy/shell/paths.ts';
import { whyNotReadable, type ReadRules } from './check-readings.ts';

const CHUNK_BYTES = 65_536;
/** Of the end of a file: its last lines stand in so much. */
const TAIL_BYTES = 262_144;
/** How far a line is looked for from the beginning. */
const MAX_SCANNED_BYTES = 67_108_864;

/** Returns the function that reads lines of a file below the roots. The same rules about secrets hold as for commands. */
export function createReadTextFile(rules: ReadRules): ReadTextFile {
  return async (path, range) => {
    if (!isAbsolute(path)) throw new ToolFailure(`'${path}' is no absolute path.`);
    const why = whyNotRead(path, 'content');
    if (why !== undefined) throw new ToolFailure(`Not read: ${why}.`, { isDenial: true });
    const file = await openJudged(path, rules);
    try {
      return range.fromLine === undefined
        ? await readEnd(file, range.lines)
        : await readFrom(file, range.fromLine, range.lines);
    } finally {
      await file.close();
    }
  };
}

/** Neither follows a link at the end nor waits for the other end of a pipe. */
const CAREFULLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens what stands at the end of all links, and judges the place that was opened: whoever swaps a folder or a file for a link between the judgement and
 * the opening gets nothing. Throws ToolFailure.
 */
async function openJudged(path: string, rules: ReadRules): Promise<FileHandle> {
  const refuse = (error: NodeJS.ErrnoException): never => {
    throw new ToolFailure(`${path} cannot be read: ${error.code ?? error.message}.`, { cause: error });
  };
  const real = await realpath(path).catch(refuse);
  const why = await whyNotReadable([{ path: real, how: 'content' }], rules);
  if (why !== undefined)
    throw new ToolFailure(`Not read: ${real === path ? why : `'${path}' leads to another place: ${why}`}.`, {
      isDenial: true,
    });
  const file = await open(real, CAREFULLY).catch(refuse);
  const opened = await file.stat();
  const standing = await Promise.all([realpath(real), stat(real)]).catch(() => undefined);
  const isSame = standing?.[0] === real && standing[1].ino === opened.ino && standing[1].dev === opened.dev;
  if (isSame && opened.isFile()) return file;
  await file.close();
  throw new ToolFailure(isSame ? `${path} is no file.` : `${path} was exchanged while it was opened.`);
}

async function readEnd(file: FileHandle, lines: number): Promise<{ readonly text: string; readonly cut: string }> {
  const { size } = await file.stat();
  // Files of /proc say that they are empty.
  const from = Math.max(0, size - TAIL_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, from);
  const all = toText(buffer.subarray(0, bytesRead)).replace(/\n$/, '').split('\n');
  // The first line may have lost its beginning.
  const whole = from > 0 && all.length > 1 ? all.slice(1) : all;
  const shown = whole.slice(-lines);
  const isCut = from > 0 || shown.length < whole.length;
  return { text: shown.join('\n'), cut: isCut ? `The last ${shown.length} lines; earlier ones with from_line.` : '' };
}

async function readFrom(
  file: FileHandle,
  fromLine: number,
  lines: number,
): Promise<{ readonly text: string; readonly cut: string }> {
  const shown: string[] = [];
  let line = 1;
  let rest = '';
  let at = 0;
  for (; at < MAX_SCANNED_BYTES && shown.length <= lines;) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    if (bytesRead === 0) break;
    at += bytesRead;
    const parts = (rest + toText(buffer.subarray(0, bytesRead))).split('\n');
    rest = (parts.pop() ?? '').slice(0, CHUNK_BYTES);
    for (const part of parts) if (line++ >= fromLine && shown.length <= lines) shown.push(part);
  }
  if (rest !== '' && line >= fromLine) shown.push(rest);
  if (shown.length === 0) throw new ToolFailure(`There is no line ${fromLine} in the first ${at} bytes.`);
  const text = shown.slice(0, lines).join('\n');
  return { text, cut: shown.length > lines ? `Lines ${fromLine} to ${fromLine + lines - 1}; there are more.` : '' };
}

/** Throws ToolFailure for what is no text. */
function toText(bytes: Buffer): string {
  if (bytes.includes(0))
    throw new ToolFailure('It is no text file. For a compressed log use zcat or zgrep with the bash tool.');
  return bytes.toString('utf8');
}
