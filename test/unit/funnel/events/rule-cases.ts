import { describe, expect, test } from '@jest/globals';
import { afterChange, at, find, reasonsOf, type Json } from './shop-cluster.ts';

/** One change of the healthy shop, and what has to be found then. */
export interface RuleCase {
  readonly name: string;
  readonly change: (objects: Json[]) => void;
  readonly reason: string;
  /** Whom it is told of; `cart` when left out. */
  readonly service?: string;
  readonly type?: string;
  readonly minSeverity?: number;
}

export type NearMiss = Pick<RuleCase, 'name' | 'change'>;

/** Changes what is said of the container; one that is not ready makes its pod unready, two minutes ago. */
export const setStatus = (app: string, status: Json) => (objects: Json[]) => {
  const whole = find(objects, 'Pod', app)['status'];
  Object.assign(whole.containerStatuses[0], status);
  if (status['ready'] === false) {
    whole.conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: at(-120) }];
  }
};

export const container = (objects: Json[], app: string): Json => find(objects, 'Pod', app)['spec'].containers[0];

/** Pods that did not get as far as being ready: only then does what their spec lacks hurt now. */
export const whileStarting = (change: (objects: Json[]) => void) => (objects: Json[]) => {
  setStatus('cart', { ready: false, state: { waiting: { reason: 'ContainerCreating' } } })(objects);
  find(objects, 'Pod', 'cart')['metadata'].creationTimestamp = at(-60);
  change(objects);
};

/** Pods that were started with their present specification shortly before the alert, and serve. */
export const justRestarted = (change: (objects: Json[]) => void) => (objects: Json[]) => {
  find(objects, 'Pod', 'cart')['metadata'].creationTimestamp = at(-300);
  change(objects);
};

export function describeRules(title: string, problems: readonly RuleCase[], nearMisses: readonly NearMiss[]): void {
  describe(title, () => {
    test.each(problems)(
      'C4: $name is found',
      ({ change, reason, service: expected = 'cart', type, minSeverity = 0 }) => {
        const findings = afterChange(change).filter((finding) => finding.service === expected);
        const found = findings.find((finding) => finding.key.endsWith(`/${reason}`));
        expect(reasonsOf(findings)).toContain(reason);
        expect(found?.severity).toBeGreaterThanOrEqual(minSeverity);
        if (type) expect(found?.rootCauseType).toBe(type);
      },
    );

    test.each(nearMisses)('$name is no finding', ({ change }) => {
      expect(reasonsOf(afterChange(change))).toEqual([]);
    });
  });
}
