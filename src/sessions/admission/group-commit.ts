import { rejectAfter } from '../../intake/deadline.ts';

/** With one, we would wait for Redis and Redis for us; with more, less would go together. */
const MOST_ON_THEIR_WAY = 2;
const MOST_TOGETHER = 64;
/** Characters, so that no call takes long. What weighs more goes alone. */
const MOST_WEIGHT = 1_000_000;
/** Whoever waited so long has been told that it failed, and must not be served behind his back. */
const LONGEST_WAIT_MS = 2000;

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly sinceMs: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Calls that go together cost a fraction of what each costs alone, for us, for the kernel and for Redis. What one turn of the event loop brings is sent at its
 * end; while two calls are on their way, what comes meanwhile waits and goes with the next. `send` answers in the order of its items; when it rejects, all of
 * its items do.
 */
export function createGroupCommit<Item, Answer>(
  send: (items: readonly Item[]) => Promise<readonly Answer[]>,
  weigh: (item: Item) => number,
): (item: Item) => Promise<Answer> {
  let waiting: Waiting<Item, Answer>[] = [];
  let onTheirWay = 0;
  let isPlanned = false;

  const sendNext = async (): Promise<void> => {
    isPlanned = false;
    const batch = takeTogether(waiting, ({ item }) => weigh(item));
    waiting = waiting.slice(batch.length);
    onTheirWay += 1;
    plan();
    const awaited = batch.filter(isAwaited);
    // One that is never answered must not hold up the others for ever.
    if (awaited.length > 0) await rejectAfter(answerAll(awaited, send), LONGEST_WAIT_MS).catch(() => undefined);
    onTheirWay -= 1;
    plan();
  };
  const plan = (): void => {
    if (isPlanned || onTheirWay === MOST_ON_THEIR_WAY || waiting.length === 0) return;
    isPlanned = true;
    setImmediate(() => void sendNext());
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, sinceMs: performance.now(), resolve, reject });
      plan();
    });
}

async function answerAll<Item, Answer>(
  batch: readonly Waiting<Item, Answer>[],
  send: (items: readonly Item[]) => Promise<readonly Answer[]>,
): Promise<void> {
  try {
    const answers = await send(batch.map(({ item }) => item));
    if (answers.length !== batch.length) throw new Error('not every call that was sent was answered');
    for (const [at, answer] of answers.entries()) batch[at]?.resolve(answer);
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

function takeTogether<T>(waiting: readonly T[], weigh: (one: T) => number): readonly T[] {
  let weight = 0;
  let count = 0;
  for (const one of waiting) {
    weight += weigh(one);
    if (count === MOST_TOGETHER || (count > 0 && weight > MOST_WEIGHT)) break;
    count += 1;
  }
  return waiting.slice(0, count);
}

/** Tells the one that is not that it failed. */
function isAwaited<Item, Answer>({ sinceMs, reject }: Waiting<Item, Answer>): boolean {
  if (performance.now() - sinceMs < LONGEST_WAIT_MS) return true;
  reject(new Error(`not sent within ${LONGEST_WAIT_MS} ms`));
  return false;
}
