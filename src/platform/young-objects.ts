import { setFlagsFromString } from 'node:v8';

/**
 * For a process that answers requests by the thousand, before the first of them. V8 watches how many of the objects that a line of code makes are still in use
 * at its next collection, and makes those of some lines in its old generation from then on ("pretenuring"). One busy moment is enough, and then each answered
 * request stays, with all that it holds, until the next full collection: every fifth receiver took a third more CPU time for as long as it ran. Without it
 * all objects begin in the young generation. Holds for the whole process and its threads.
 */
export function keepObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
