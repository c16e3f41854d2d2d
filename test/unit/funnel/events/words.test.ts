import { describe, expect, test } from '@jest/globals';
import { waitingWords } from '../../../../src/funnel/events/objects/waiting-words.ts';
import { withoutPreemption } from '../../../../src/funnel/events/scheduler-words.ts';

const IMAGE = 'registry.example.net/catalog:2.8.O';

describe('what the cluster says is told without what it repeats', () => {
  test.each([
    [
      'a tag that is not there',
      `Back-off pulling image "${IMAGE}": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image "${IMAGE}": failed to resolve reference "${IMAGE}": ${IMAGE}: not found`,
      'not found',
    ],
    [
      'a registry that does not answer',
      `failed to pull and unpack image "${IMAGE}": failed to resolve reference "${IMAGE}": failed to do request: Head "https://registry.example.net/v2/catalog/manifests/2.8.O": dial tcp 10.2.0.1:443: i/o timeout`,
      'failed to do request: Head "https://registry.example.net/v2/catalog/manifests/2.8.O": dial tcp 10.2.0.1:443: i/o timeout',
    ],
    ['nothing but the name', `Back-off pulling image "${IMAGE}"`, `Back-off pulling image "${IMAGE}"`],
  ])('an image: %s', (_, message, words) => {
    expect(waitingWords(message, IMAGE)).toBe(words);
  });

  test('a back-off says nothing that its reason does not', () => {
    expect(waitingWords('back-off 2m40s restarting failed container=web pod=web-0_shop(1)', undefined)).toBe('');
    expect(waitingWords('secret "db" not found', undefined)).toBe('secret "db" not found');
  });

  test('the scheduler: why, not that nobody can be driven out', () => {
    const why = "0/5 nodes are available: 2 Insufficient cpu, 3 node(s) didn't match Pod's node affinity/selector";
    const after = '. no new claims to deallocate, preemption: 0/5 nodes are available: 5 Preemption is not helpful.';
    expect(withoutPreemption(`${why}${after}`)).toBe(why);
    expect(withoutPreemption(`${why}. preemption: 0/5 nodes are available: 5 No preemption victims found.`)).toBe(why);
    expect(withoutPreemption('Preempted by pod a: preemption: x')).toBe('Preempted by pod a: preemption: x');
  });
});
