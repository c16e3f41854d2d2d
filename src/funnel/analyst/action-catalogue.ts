import type { RootCauseType } from '../../domain/root-cause-type.ts';
import { CALL_ACTIONS } from './catalogue-calls.ts';
import { RESOURCE_ACTIONS } from './catalogue-resources.ts';
import type { CatalogueStep } from './catalogue-steps.ts';
import { WORKLOAD_ACTIONS } from './catalogue-workloads.ts';

/** What to do, by type of root cause: checks first, then what may be proposed. */
export const ACTIONS: Readonly<Record<RootCauseType, readonly CatalogueStep[]>> = {
  ...RESOURCE_ACTIONS,
  ...CALL_ACTIONS,
  ...WORKLOAD_ACTIONS,
};
