import { readFile } from 'node:fs/promises';
import type { Config } from '../config/schema.ts';
import { IntakeUnavailable } from '../intake/intake.ts';
import { PAGERDUTY_SOURCE } from '../domain/pagerduty.ts';
import { whyUnreadable } from '../platform/settings-file.ts';
import { didYouMean } from '../policy/nearest.ts';
import type { Redactor } from '../policy/redact.ts';
import { sanitize } from '../policy/untrusted.ts';
import { PRESETS } from '../sources/generic/presets/index.ts';
import { PayloadError, type InboundRequest, type Source } from '../sources/source.ts';
import { InputError } from './input-error.ts';
import { openSourcesForTrial } from './open-sources.ts';
import { printReading, readingAsData } from './print-reading.ts';
import { toJson } from './to-json.ts';

export type SourcesRequest =
  | { readonly verb: 'list'; readonly json: boolean }
  | {
      readonly verb: 'try';
      readonly name: string;
      readonly file: string;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      readonly json: boolean;
    };

export interface SourcesAnswer {
  /** For stdout. */
  readonly text: string;
  /** For stderr: what is beside the result. */
  readonly notes: readonly string[];
  readonly isRefused: boolean;
}

/**
 * `rootnote sources`: who may send alerts, and what a body would become. Nothing is stored, no Redis is needed, and no secret: a mapping can be tried where there is none. Throws
 * ConfigError and InputError.
 */
export async function useSources(config: Config, request: SourcesRequest, redactor: Redactor): Promise<SourcesAnswer> {
  const sources = openSourcesForTrial(config);
  if (request.verb === 'list')
    return { text: request.json ? listAsJson(sources) : list(sources), notes: [], isRefused: false };
  const source = sources.find(({ name }) => name === request.name);
  if (!source) throw new InputError(noSuchSource(request.name, sources));
  const bytes = await readFile(request.file).catch((error: unknown) => {
    throw new InputError(`${request.file} ${whyUnreadable(error)}`, { cause: error });
  });
  const inbound: InboundRequest = { headers: request.headers, bytes };
  const { text, isRefused } = tryToRead(source, inbound, request.json);
  const remarks = isRefused ? [] : (source.remarks?.(inbound) ?? []);
  return { text: redactor.redact(text), notes: [...remarks, await judge(source, inbound)], isRefused };
}

/** Which setting would add it, where one would. */
function noSuchSource(name: string, sources: readonly Source[]): string {
  const remedy = remedyFor(name, sources);
  return `there is no source ${name}${remedy}; there are: ${sources.map((source) => source.name).join(', ')}`;
}

function remedyFor(name: string, sources: readonly Source[]): string {
  if (name === PAGERDUTY_SOURCE) return ': set PAGERDUTY_WEBHOOK_SECRETS';
  if (name === 'grafana') return ': set GRAFANA_WEBHOOK_SECRET, GRAFANA_BEARER_TOKENS or GRAFANA_BASIC_AUTH';
  const preset = PRESETS.find((known) => known === name);
  if (preset) return `: add an entry with preset: ${preset} to SOURCES_FILE (docs/sources.md)`;
  return didYouMean(
    name,
    sources.map((source) => source.name),
  );
}

function list(sources: readonly Source[]): string {
  const width = Math.max(...sources.map(({ name }) => name.length));
  const lines = sources.map(
    (source) => `${source.name.padEnd(width)}  ${methods(source)} ${path(source)}  ${how(source)}`,
  );
  return `${lines.join('\n')}\n`;
}

function listAsJson(sources: readonly Source[]): string {
  const entries = sources.map((source) => ({
    name: source.name,
    path: path(source),
    methods: source.methods ?? ['POST'],
    auth: source.auth.kind,
    how: how(source),
  }));
  return toJson(entries);
}

const path = ({ name }: Source) => `/webhooks/${name}`;
const methods = (source: Source) => (source.methods ?? ['POST']).join('|');

function how({ auth }: Source): string {
  return auth.kind === 'open' ? `open: anybody may send. ${auth.remedy}` : auth.how;
}

function tryToRead(source: Source, inbound: InboundRequest, json: boolean): { text: string; isRefused: boolean } {
  try {
    const reading = source.read(inbound);
    return { text: json ? sanitize(toJson(readingAsData(reading))) : printReading(reading), isRefused: false };
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    const text = json
      ? toJson({ kind: 'refused', status: error.status, error: error.message })
      : `refused, HTTP ${error.status}: ${error.message}\n`;
    return { text: sanitize(text), isRefused: true };
  }
}

/** A trial goes on without credentials: the file is the operator's own. It says whether they would have been enough. */
async function judge({ auth, name }: Source, inbound: InboundRequest): Promise<string> {
  if (auth.kind === 'open') return `${name} is open: no credentials are looked at`;
  try {
    const accepts = auth.kind === 'headers' ? auth.accepts(inbound.headers) : await auth.accepts(inbound);
    if (accepts) return `credentials: accepted (${auth.how})`;
  } catch (error) {
    if (!(error instanceof IntakeUnavailable)) throw error;
    return `credentials: not to be judged now: ${error.message}`;
  }
  return `credentials: with these headers and bytes the answer would be 401 (${auth.how}); --header tries others`;
}
