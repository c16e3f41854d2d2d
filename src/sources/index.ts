import { alertmanager } from './alertmanager/index.ts';
import type { Source } from './source.ts';

/** Every inbound source. */
export const SOURCES: readonly Source[] = [alertmanager];
