import { access, constants, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CheckResult } from '../../domain/check-result.ts';
import type { DeliveryContent, DeliveryResult, Destination } from '../../domain/delivery.ts';

const SAFE_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** Reports as files, `<report id>.json`; a resolved incident adds `<report id>.resolved.json`. Readable by the owner only. */
export function createFileDestination(folder: string): Destination {
  const directory = resolve(folder);
  return {
    name: 'file',
    tells: ['report', 'resolved'],
    deliver: (content, { marker }) => write(directory, content, marker),
    check: () => checkFolder(directory),
  };
}

/** Rename is atomic, so a reader sees a whole file or none, and writing again replaces the file by an equal one. */
async function write(directory: string, content: DeliveryContent, marker: string): Promise<DeliveryResult> {
  const { id } = content.report;
  if (!SAFE_ID.test(id)) return { outcome: 'give-up', reason: 'the report id is not usable as a file name' };
  const path = join(directory, content.kind !== 'resolved' ? `${id}.json` : `${id}.resolved.json`);
  const partial = join(directory, `.${id}.${marker.replace(/[^A-Za-z0-9_-]/g, '_')}.tmp`);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(partial, `${JSON.stringify(bodyOf(content), null, 2)}\n`, { mode: 0o600 });
    await rename(partial, path);
    return { outcome: 'ok', handle: { path } };
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    return { outcome: 'retry', reason: `cannot write ${path}: ${codeOf(error)}`, posted: 'no' };
  }
}

function bodyOf(content: DeliveryContent): object {
  if (content.kind !== 'resolved') return content.report;
  const resolvedAt = new Date(content.resolvedAtMs).toISOString();
  return { incidentId: content.incident.id, reportId: content.report.id, resolvedAt };
}

async function checkFolder(directory: string): Promise<CheckResult> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await access(directory, constants.W_OK);
    return { name: 'file', status: 'ok', value: `reports are written to ${directory}` };
  } catch (error) {
    const value = `${directory} is not writable: ${codeOf(error)}`;
    return { name: 'file', status: 'fail', value, remedy: 'set REPORT_DIR to a folder that Rootnote may write to' };
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);
}
