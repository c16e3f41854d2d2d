import { access, constants, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CheckResult } from '../../domain/check-result.ts';
import type { DeliveryContent, DeliveryResult, Destination } from '../../domain/delivery.ts';
import { stormJson } from '../storm-json.ts';
import { tidyReports } from './tidy-reports.ts';

const DAY_MS = 86_400_000;
const TIDIED_EVERY_MS = DAY_MS / 4;
const SAFE_NAME = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Everything as files, readable by the owner only:
 * `<incident id>.first-look.json` until the report is there, then `<report id>.json`, always the newest report of that id;
 * `<report id>.<marker>.update.json` for each update, with its news; `<report id>.resolved.json`; `<storm id>.json`, always the newest summary.
 * What was written more than `keepDays` ago is removed; 0: nothing is.
 */
export function createFileDestination(folder: string, keepDays = 0, now: () => number = Date.now): Destination {
  const directory = resolve(folder);
  let tidyAtMs = 0;
  const tidied = async (told: DeliveryResult): Promise<DeliveryResult> => {
    if (keepDays > 0 && now() >= tidyAtMs) {
      tidyAtMs = now() + TIDIED_EVERY_MS;
      await tidyReports(directory, now() - keepDays * DAY_MS);
    }
    return told;
  };
  return {
    name: 'file',
    tells: ['first-look', 'report', 'update', 'resolved'],
    deliver: async (content, { marker }) => tidied(await deliver(directory, content, marker)),
    deliverStorm: async (storm, { marker }) => tidied(await write(directory, storm.id, stormJson(storm), marker)),
    check: () => checkFolder(directory),
  };
}

async function deliver(directory: string, content: DeliveryContent, marker: string): Promise<DeliveryResult> {
  const { report, incident } = content;
  const save = (name: string, body: object) => write(directory, name, body, marker);
  if (content.kind === 'first-look') return save(`${incident.id}.first-look`, report);
  if (content.kind === 'resolved') {
    const resolvedAt = new Date(content.resolvedAtMs).toISOString();
    return save(`${report.id}.resolved`, { incidentId: incident.id, reportId: report.id, resolvedAt });
  }
  if (content.kind === 'update') {
    const kept = await save(`${report.id}.${marker}.update`, { news: content.news, report });
    if (kept.outcome !== 'ok') return kept;
  }
  const result = await save(report.id, report);
  if (result.outcome === 'ok' && SAFE_NAME.test(incident.id)) {
    await rm(join(directory, `${incident.id}.first-look.json`), { force: true }).catch(() => undefined);
  }
  return result;
}

/** Rename is atomic, so a reader sees a whole file or none, and writing again replaces the file by an equal one. */
async function write(directory: string, name: string, body: object, marker: string): Promise<DeliveryResult> {
  if (!name.split('.').every((part) => SAFE_NAME.test(part))) {
    return { outcome: 'give-up', reason: 'its id is not usable as a file name' };
  }
  const path = join(directory, `${name}.json`);
  const partial = join(directory, `.${name}.${marker.replace(/[^A-Za-z0-9_-]/g, '_')}.tmp`);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(partial, `${JSON.stringify(body, null, 2)}\n`, { mode: 0o600 });
    await rename(partial, path);
    return { outcome: 'ok', handle: { path } };
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    return { outcome: 'retry', reason: `cannot write ${path}: ${codeOf(error)}`, posted: 'no' };
  }
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
