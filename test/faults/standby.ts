import type { Member } from './process.ts';

/**
 * Processes that are started before they are needed, `ahead` of them at a time and `total` in all: a start costs more than what a scenario does with it,
 * and while one waits for it, others can be on their way. What is ahead takes part already; it is no idle spare.
 */
export function standby(total: number, ahead: number, start: () => Promise<Member>): () => Promise<Member> {
  const started: Promise<Member>[] = [];
  let left = total;
  const fill = () => {
    for (; left > 0 && started.length < ahead; left--) {
      const member = start();
      // Whoever takes it hears of a failed start.
      member.catch(() => undefined);
      started.push(member);
    }
  };
  fill();
  return () => {
    const next = started.shift() ?? start();
    fill();
    return next;
  };
}
