import type { Inbox } from '../intake/admission.ts';
import { NotReplicated, type Replicas } from '../platform/redis-replicas.ts';

/** The same inbox; what too few replicas have counts as not taken, so that its sender sends it again. Rejects with NotReplicated. */
export function keptOnReplicas(inbox: Inbox, replicas: Replicas): Inbox {
  return {
    append: async (arrival) => {
      const writing = await replicas.begin();
      const id = await inbox.append(arrival);
      if (await writing.isKept()) return id;
      throw new NotReplicated();
    },
  };
}
