import { join } from 'node:path';
import { projectRoot } from '../support/programs.ts';

/** A worker with a place to die or to freeze at, from the build. */
export const DOOMED_WORKER = join(projectRoot(), 'dist', 'test', 'faults', 'doomed-worker.js');
