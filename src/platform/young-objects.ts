import { setFlagsFromString } from 'node:v8';

/**
 * For a process that answers requests by the thousand, before the first of them. V8 watches how many of the objects that a place in the code makes outlive its
 * next collection; where most do, it makes them in its old generation from then on ("pretenuring"), and one busy moment is enough. What lies there, in use or
 * not, keeps alive what it refers to until the next full collection: each answered request stayed with all that it held, and one receiver in six took a third
 * more CPU time for as long as it ran. After this call V8 makes such objects in its young generation. Holds for the whole process and its threads.
 */
export function keepObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
