import type { Command } from './arguments.ts';
import { options, UsageError } from './options.ts';

/** What follows `rootnote check run`. Throws UsageError. */
export function parseCheckRun(argv: readonly string[]): Command & { readonly kind: 'check-run' } {
  const { values, positionals } = options(
    argv,
    { recording: { type: 'string' }, offline: { type: 'boolean' }, json: { type: 'boolean' } },
    1,
  );
  const [name] = positionals;
  if (name === undefined) throw new UsageError('use: rootnote check run NAME [--recording DIR] [--offline] [--json]');
  const recording = values['recording'];
  return {
    kind: 'check-run',
    name,
    ...(typeof recording === 'string' ? { recording } : {}),
    offline: values['offline'] === true,
    json: values['json'] === true,
  };
}
