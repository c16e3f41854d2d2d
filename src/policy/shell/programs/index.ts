import type { Program } from '../grammar.ts';
import { certificates } from './certificates.ts';
import { containersAndCharts } from './containers.ts';
import { files } from './files.ts';
import { kubernetes } from './kubernetes.ts';
import { machine } from './machine.ts';
import { network } from './network.ts';
import { packages } from './packages.ts';
import { processes } from './processes.ts';
import { search } from './search.ts';
import { services } from './services.ts';
import { storage } from './storage.ts';
import { textPrograms } from './text.ts';
import { versions } from './versions.ts';

/** Every program that may run, by name. A Map: the name is foreign text, and objects have a prototype. */
export const PROGRAMS: ReadonlyMap<string, Program> = new Map(
  [
    files,
    textPrograms,
    search,
    processes,
    machine,
    storage,
    certificates,
    services,
    network,
    containersAndCharts,
    kubernetes,
    packages,
    versions,
  ].flatMap((group) =>
    Object.entries(group).flatMap(([names, program]) =>
      names
        .split(' ')
        .filter(Boolean)
        .map((name) => [name, program] as const),
    ),
  ),
);

/** Names of all files that are ever started. */
export const STARTED_PROGRAMS: readonly string[] = [
  ...new Set(
    [...PROGRAMS].flatMap(([name, { runs, unpacks }]) => [
      runs?.[0] ?? name,
      ...(unpacks === true ? ['gzip', 'grep'] : []),
    ]),
  ),
].toSorted();
