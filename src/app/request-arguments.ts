import type { Command } from './arguments.ts';
import type { DeliveriesRequest } from './deliveries-command.ts';
import type { MemoryRequest } from './memory-command.ts';
import { options, UsageError } from './options.ts';
import type { SourcesRequest } from './sources-command.ts';

export function parseTimeline(argv: readonly string[]): Command {
  const { values, positionals } = options(argv, { timeline: { type: 'string' } }, 2);
  const [verb, id] = positionals;
  const file = values['timeline'];
  if (verb === 'show' && id !== undefined && typeof file === 'string' && file !== '')
    return { kind: 'timeline', id, file };
  throw new UsageError('use: rootnote reports show ID --timeline FILE.png');
}

export function parseDoctor(argv: readonly string[]): Command {
  const { values } = options(argv, { json: { type: 'boolean' }, route: { type: 'string' } }, 0);
  const json = values['json'] === true;
  const labels = values['route'];
  return typeof labels === 'string' ? { kind: 'route', labels, json } : { kind: 'doctor', json };
}

export function parseDeliveries(argv: readonly string[]): DeliveriesRequest {
  const { values, positionals } = options(argv, { json: { type: 'boolean' } }, 3);
  const [verb = 'list', id, destination] = positionals;
  const json = values['json'] === true;
  if (verb === 'list' && id === undefined) return { verb, json };
  if (verb === 'retry' && id !== undefined && !json)
    return { verb, id, ...(destination === undefined ? {} : { destination }) };
  throw new UsageError('use: rootnote deliveries list, or rootnote deliveries retry ID [DESTINATION]');
}

export function parseCheck(argv: readonly string[]): Command {
  const { values, positionals } = options(argv, { json: { type: 'boolean' } }, 1);
  if ((positionals[0] ?? 'list') !== 'list')
    throw new UsageError('use: rootnote check list [--json], or rootnote check run NAME');
  return { kind: 'checks', json: values['json'] === true };
}

export function parseMcp(argv: readonly string[]): Command {
  const { values, positionals } = options(argv, { json: { type: 'boolean' } }, 1);
  if ((positionals[0] ?? 'list') !== 'list') throw new UsageError('use: rootnote mcp list');
  return { kind: 'mcp', json: values['json'] === true };
}

export function parseSources(argv: readonly string[]): SourcesRequest {
  const { values, positionals } = options(
    argv,
    { json: { type: 'boolean' }, header: { type: 'string', multiple: true } },
    3,
  );
  const [verb = 'list', name, file] = positionals;
  const json = values['json'] === true;
  const headers = [values['header'] ?? []].flat().map(parseHeader);
  if (verb === 'list' && name === undefined && headers.length === 0) return { verb, json };
  if (verb === 'try' && name !== undefined && file !== undefined)
    return { verb, name, file, headers: Object.fromEntries(headers), json };
  throw new UsageError('use: rootnote sources list, or rootnote sources try NAME FILE [--header NAME=VALUE]');
}

/** `Name=value` or `Name: value`. */
function parseHeader(text: unknown): readonly [string, string] {
  const [, name = '', value = ''] = /^([\w-]+)\s*[=:]\s*(.*)$/s.exec(String(text)) ?? [];
  if (name === '') throw new UsageError('--header takes NAME=VALUE');
  return [name.toLowerCase(), value];
}

export function parseMemory(argv: readonly string[]): MemoryRequest {
  const { values, positionals } = options(argv, { json: { type: 'boolean' } }, 2);
  const [verb = 'list', fact] = positionals;
  const json = values['json'] === true;
  if (verb === 'list' && fact === undefined) return { verb, json };
  if (verb === 'path' && fact === undefined && !json) return { verb };
  if (verb === 'add' && fact !== undefined && !json) return { verb, fact };
  throw new UsageError("use: rootnote memory list, rootnote memory path, or rootnote memory add 'FACT' (in quotes)");
}
