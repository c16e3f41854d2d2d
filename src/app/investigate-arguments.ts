import type { Command } from './arguments.ts';
import { options, UsageError } from './options.ts';

/** Throws UsageError, as all here do. */
export function parseInvestigate(argv: readonly string[]): Command {
  const { values, positionals } = options(
    argv,
    {
      recording: { type: 'string' },
      until: { type: 'string' },
      'second-look': { type: 'string' },
      offline: { type: 'boolean' },
      brief: { type: 'boolean' },
      json: { type: 'boolean' },
    },
    1,
  );
  const alertFile = positionals[0];
  const recording = values['recording'];
  if ((alertFile === undefined) === (recording === undefined)) {
    throw new UsageError('investigate takes either ALERT.json or --recording DIR');
  }
  const untilS = readSeconds('until', values['until']);
  if (untilS !== undefined && recording === undefined) throw new UsageError('--until goes with --recording DIR');
  const secondLookS = readSeconds('second-look', values['second-look']);
  if (secondLookS !== undefined && !(untilS !== undefined && secondLookS > untilS)) {
    throw new UsageError('--second-look goes with an earlier --until');
  }
  const [brief, json] = [values['brief'] === true, values['json'] === true];
  if (brief && json) throw new UsageError('--json prints the report alone: leave out --brief');
  return {
    kind: 'investigate',
    ...(alertFile === undefined ? {} : { alertFile }),
    ...(typeof recording === 'string' ? { recording } : {}),
    ...(untilS === undefined ? {} : { untilS }),
    ...(secondLookS === undefined ? {} : { secondLookS }),
    offline: values['offline'] === true,
    brief,
    json,
  };
}

/** The seconds that an option gives; undefined when it is not given. Throws UsageError. */
export function readSeconds(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  if (seconds >= 0 && Number.isFinite(seconds)) return seconds;
  throw new UsageError(`--${name} takes a number of seconds after the alert`);
}
