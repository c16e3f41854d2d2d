/**
 * The work's result, or a rejection after `deadlineMs`; the work goes on then, and what becomes of it is not told. A frozen Redis keeps its connection
 * up, so nothing fails by itself: only this timer ends the wait.
 */
export function withDeadline<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
