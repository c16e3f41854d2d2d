import type { LogFieldNames } from './log-source.ts';

/** The fields of one prefix, in order of preference. */
type FieldSettings<P extends string> = {
  readonly [K in `${P}_${'SERVICE' | 'NAMESPACE' | 'LEVEL' | 'TRACE'}_FIELDS`]: readonly string[];
};

/** What the settings of one prefix say about where a line's service, namespace, level and trace stand. */
export function readNames<P extends string>(prefix: P, settings: FieldSettings<P>): LogFieldNames {
  return {
    service: settings[`${prefix}_SERVICE_FIELDS`],
    namespace: settings[`${prefix}_NAMESPACE_FIELDS`],
    level: settings[`${prefix}_LEVEL_FIELDS`],
    trace: settings[`${prefix}_TRACE_FIELDS`],
  };
}
