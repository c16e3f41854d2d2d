import { textAt } from '../../events/json-path.ts';
import { createdMs, lasts, MINUTE_MS, type StateRule } from './state-rule.ts';

export const claimUnbound: StateRule = {
  kinds: ['PersistentVolumeClaim'],
  limit: 'bound',
  judge: (claim, options) => {
    const phase = textAt(claim, 'status', 'phase');
    if (phase !== 'Pending' && phase !== 'Lost') return undefined;
    // A lost one was bound once: its age says nothing of the loss.
    const sinceMs = phase === 'Pending' ? createdMs(claim) : undefined;
    if (!lasts(sinceMs, options, 10 * MINUTE_MS)) return undefined;
    const storage = textAt(claim, 'spec', 'storageClassName') ?? 'the default class';
    return { what: `is ${phase.toLowerCase()} (storage class ${storage})`, value: phase, sinceMs, type: 'scheduling' };
  },
};
