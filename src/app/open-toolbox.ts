import type { Toolbox } from '../agent/toolbox.ts';
import type { Config } from '../config/schema.ts';
import type { TelemetryProvider } from '../domain/provider.ts';
import type { Knowledge } from './open-knowledge.ts';

/** Everything the agents of this process may reach for, from the configuration. One line a part. */
export function openToolbox(
  _config: Config,
  providers: readonly TelemetryProvider[],
  knowledge: Pick<Knowledge, 'tools'>,
): Toolbox {
  return { providers, ...knowledge.tools };
}
