/**
 * The work's result, or a rejection after `deadlineMs`; the work goes on then, and what becomes of it is not told. A frozen Redis keeps its connection
 * up, so nothing fails by itself: only this timer ends the wait.
 */
export function rejectAfter<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLate(deadlineMs)), deadlineMs);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

interface Wait {
  readonly untilMs: number;
  readonly reject: (error: Error) => void;
}

/** `rejectAfter` for work that comes by the thousand: as all of it has the same time, one timer does for all. Does not keep the process alive. */
export function createDeadline(deadlineMs: number): <T>(work: Promise<T>) => Promise<T> {
  // A set hands out what was put in first first: what began first ends first.
  const waits = new Set<Wait>();
  let timer: NodeJS.Timeout | undefined;
  const expire = (): void => {
    timer = undefined;
    const nowMs = performance.now();
    for (const wait of waits) {
      if (wait.untilMs > nowMs) return wakeAfter(wait.untilMs - nowMs);
      waits.delete(wait);
      wait.reject(tooLate(deadlineMs));
    }
  };
  const wakeAfter = (ms: number): void => {
    timer = setTimeout(expire, Math.ceil(ms));
    timer.unref();
  };
  return (work) =>
    new Promise((resolve, reject) => {
      const wait = { untilMs: performance.now() + deadlineMs, reject };
      waits.add(wait);
      if (!timer) wakeAfter(deadlineMs);
      const settled = (): void => void waits.delete(wait);
      work.then(settled, settled);
      work.then(resolve, reject);
    });
}

function tooLate(deadlineMs: number): Error {
  return new Error(`no answer within ${deadlineMs} ms`);
}
