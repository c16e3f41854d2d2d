import { parseArgs } from 'node:util';
import { settingGroups } from '../config/schema.ts';
import { nearest } from '../policy/nearest.ts';

/** A command line that cannot be understood; the message says what is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

type Options = NonNullable<Parameters<typeof parseArgs>[0]>['options'];

/** Options and positionals. Throws UsageError. */
export function options(argv: readonly string[], known: NonNullable<Options>, maxPositionals: number) {
  try {
    const parsed = parseArgs({ args: [...argv], options: known, allowPositionals: maxPositionals > 0 });
    if (parsed.positionals.length > maxPositionals) {
      throw new UsageError(`'${parsed.positionals[maxPositionals] ?? ''}' is one argument too many`);
    }
    return parsed;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // The rest of Node's message explains `--`, which nobody asked about.
    const [message = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(`${message}${hintFor(message, Object.keys(known))}`, { cause: error });
  }
}

/** What was meant by an option that nobody knows: a setting, which is a variable, or another option. */
function hintFor(message: string, known: readonly string[]): string {
  const [, option] = /Unknown option '--([\w-]+)'/.exec(message) ?? [];
  if (option === undefined) return '';
  const setting = option.toUpperCase().replaceAll('-', '_');
  const isSetting = settingGroups.some(({ settings }) => Object.hasOwn(settings, setting));
  if (isSetting) return `; settings are variables: set ${setting} in the environment or in .env`;
  const meant = nearest(option, known);
  return meant === undefined ? '' : `; did you mean --${meant}?`;
}

/** The same, where `list --checks` shows runs of scheduled checks instead of what alerts opened. */
export function parseListedKinds(
  what: string,
  argv: readonly string[],
): ReturnType<typeof parseListOrShow> & { readonly checks?: boolean } {
  const rest = argv.filter((argument) => argument !== '--checks');
  const request = parseListOrShow(what, rest, 'ID');
  if (rest.length === argv.length) return request;
  if (request.id !== undefined) throw new UsageError(`--checks is for the list: rootnote ${what} list --checks`);
  return { ...request, checks: true };
}

/** `list`, which may be left out, or `show` and what. Throws UsageError. */
export function parseListOrShow(
  what: string,
  argv: readonly string[],
  argument: string,
): { readonly id?: string; readonly json: boolean } {
  const { values, positionals } = options(argv, { json: { type: 'boolean' } }, 2);
  const [verb = 'list', id] = positionals;
  const json = values['json'] === true;
  if (verb === 'list' && id === undefined) return { json };
  if (verb === 'show' && id !== undefined) return { id, json };
  throw new UsageError(`use: rootnote ${what} list, or rootnote ${what} show ${argument}`);
}
