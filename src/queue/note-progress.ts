import type { CheckpointSlot } from '../agent/checkpoint.ts';
import type { Journal } from '../investigate/journal.ts';
import type { JobContext } from './job-worker.ts';

type Progress = JobContext['progress'];

/** The same slot; with what it keeps, the job has got further. Nothing waits for that to be noted: Redis may be away. */
export function slotWithProgress(slot: CheckpointSlot, progress: Progress): CheckpointSlot {
  return { load: () => slot.load(), save: noting((checkpoint) => slot.save(checkpoint), progress) };
}

/** The same journal; with whatever it keeps, the job has got further. */
export function journalWithProgress(journal: Journal, progress: Progress): Journal {
  return {
    load: () => journal.load(),
    save: noting((state) => journal.save(state), progress),
    main: slotWithProgress(journal.main, progress),
  };
}

function noting<T>(save: (value: T) => Promise<void>, progress: Progress): (value: T) => Promise<void> {
  return async (value) => {
    await save(value);
    void progress();
  };
}
