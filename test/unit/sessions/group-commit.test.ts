import { expect, test } from '@jest/globals';
import { createGroupCommit } from '../../../src/sessions/admission/group-commit.ts';
import { gate } from '../../support/gate.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const numbersTo = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Notes what is sent together; answers each number with its double. */
function doubling(weigh: (n: number) => number = () => 1) {
  const sent: (readonly number[])[] = [];
  const call = createGroupCommit((items: readonly number[]) => {
    sent.push(items);
    return Promise.resolve(items.map((n) => n * 2));
  }, weigh);
  return { sent, call };
}

test('what comes in one turn goes together, and each gets its own answer', async () => {
  const { sent, call } = doubling();
  await expect(Promise.all([1, 2, 3].map(call))).resolves.toEqual([2, 4, 6]);
  expect(sent).toEqual([[1, 2, 3]]);
});

test('one that comes alone does not wait for others', async () => {
  const { sent, call } = doubling();
  const answer = call(1);
  await turn();
  await turn();
  expect(sent).toEqual([[1]]);
  await expect(answer).resolves.toBe(2);
});

test('a batch is bounded by number and by weight, keeps the order, and one that is too heavy goes alone', async () => {
  const { sent, call } = doubling((n) => (n < 100 ? 1 : 2_000_000));
  const items = [...numbersTo(99), 100, 101];
  await expect(Promise.all(items.map(call))).resolves.toEqual(items.map((n) => n * 2));
  expect(sent.map((batch) => batch.length)).toEqual([64, 35, 1, 1]);
  expect(sent.flat()).toEqual(items);
});

test('while two calls are on their way, what comes is gathered', async () => {
  const open = gate<undefined>();
  const sent: (readonly number[])[] = [];
  const call = createGroupCommit(
    async (items: readonly number[]) => {
      sent.push(items);
      await open.opened;
      return items;
    },
    () => 1,
  );
  const answers: Promise<number>[] = [];
  for (const n of numbersTo(10)) {
    answers.push(call(n));
    await turn();
    await turn();
  }
  expect(sent).toEqual([[0], [1]]);
  open.open(undefined);
  await expect(Promise.all(answers)).resolves.toEqual(numbersTo(10));
  expect(sent).toEqual([[0], [1], [2, 3, 4, 5, 6, 7, 8, 9]]);
});

test.each([
  ['fails', () => Promise.reject(new Error('no answer'))],
  ['is answered in part', () => Promise.resolve([])],
])('when the call %s, each of them has failed; the next ones are sent all the same', async (_how, first) => {
  let calls = 0;
  const call = createGroupCommit(
    (items: readonly number[]): Promise<readonly number[]> => {
      calls += 1;
      return calls === 1 ? first() : Promise.resolve(items);
    },
    () => 1,
  );
  const answers = await Promise.allSettled([call(1), call(2)]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(call(3)).resolves.toBe(3);
});
