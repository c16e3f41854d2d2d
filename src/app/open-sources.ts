import type { Config } from '../config/schema.ts';
import { createSources } from '../sources/index.ts';
import type { Source } from '../sources/source.ts';

/** Every sender that alerts are taken from. */
export function openSources(config: Config): readonly Source[] {
  return createSources(config);
}
