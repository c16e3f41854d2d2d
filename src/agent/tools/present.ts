import type { Evidence, EvidenceBook, EvidenceDraft } from '../../domain/evidence.ts';
import { relativeTime } from '../../domain/relative-time.ts';
import { clip, fence, oneLine, sanitize } from '../../policy/untrusted.ts';
import { isoSeconds } from './relative-window.ts';
import { groupLogs } from './summarize-logs.ts';
import { summarizeSeries } from './summarize-series.ts';
import type { ToolData } from './tool.ts';

const MAX_SERIES = 20;
const MAX_LOG_GROUPS = 20;
const MAX_ITEMS = 40;
const MAX_STATEMENT_CHARACTERS = 800;
const MAX_RESULT_CHARACTERS = 12_000;

export interface Presentation {
  readonly triggerMs: number;
  readonly book: EvidenceBook;
  readonly redact: (text: string) => string;
  readonly nonce: string;
}

/**
 * The one way of a tool's result to the model: sanitise and redact → compact → cut → fence (SPEC A15). Every summarised series and
 * log group becomes evidence whose id stands before it, so that it can be cited.
 */
export function present(toolName: string, data: ToolData, presentation: Presentation): string {
  const clean = (text: string) => presentation.redact(sanitize(text));
  const lines = compact(data, clean, presentation);
  const notes = data.notes.map((note) => oneLine(clean(note)));
  const text = withinLimit([`Searched ${oneLine(clean(data.searched))}`, ...notes, ...lines]);
  return fence(toolName, text, presentation.nonce);
}

/** Errors take the same way: they quote what a provider said. */
export function presentFailure(toolName: string, message: string, presentation: Presentation): string {
  return fence(toolName, clip(oneLine(presentation.redact(sanitize(message))), 600), presentation.nonce);
}

function compact(data: ToolData, clean: (text: string) => string, presentation: Presentation): readonly string[] {
  const { triggerMs, book } = presentation;
  const cite = (key: string, draft: EvidenceDraft) => {
    const statement = clip(oneLine(clean(draft.statement)), MAX_STATEMENT_CHARACTERS);
    const service = draft.service === undefined ? undefined : oneLine(clean(draft.service));
    const id = book.add(key, { ...draft, statement, service });
    return `[${id}] ${statement}`;
  };
  const searched = oneLine(clean(data.searched));
  switch (data.kind) {
    case 'series': {
      const summaries = data.series
        .map((series) => summarizeSeries(cleanSeries(series, clean), triggerMs, searched))
        .sort((a, b) => b.deviation - a.deviation);
      const shown = summaries.slice(0, MAX_SERIES);
      return counted(
        'series',
        shown.map(({ key, draft }) => cite(key, draft)),
        summaries.length,
      );
    }
    case 'logs': {
      const records = data.records.map((record) => ({ ...record, message: clean(record.message) }));
      const groups = groupLogs(records, triggerMs, searched);
      const shown = groups.slice(0, MAX_LOG_GROUPS);
      const hidden = groups.slice(MAX_LOG_GROUPS).reduce((total, group) => total + group.count, 0);
      const rest = hidden ? [`and ${hidden} more lines, in log groups not shown: ${groups.length - shown.length}`] : [];
      const lines = shown.map(({ key, draft }) => cite(key, draft));
      return [...counted('log groups', lines, groups.length), ...rest];
    }
    case 'evidence': {
      const shown = data.items.slice(0, MAX_ITEMS).map((item) => clean(evidenceLine(item, triggerMs)));
      return counted('evidence items', shown, data.items.length);
    }
    case 'text': {
      const [first = '', ...rest] = clean(data.text).split('\n');
      if (!data.evidence) return [first, ...rest];
      const statement = `${searched}: ${clean(data.text)}`;
      return [cite(statement, { kind: data.evidence, service: undefined, statement, atMs: undefined }), first, ...rest];
    }
    default:
      return data satisfies never;
  }
}

function cleanSeries<S extends { service: string; metric: string; labels?: Readonly<Record<string, string>> }>(
  series: S,
  clean: (text: string) => string,
): S {
  const labels = Object.entries(series.labels ?? {}).map(([name, value]) => [clean(name), clean(value)] as const);
  const named = labels.length ? { labels: Object.fromEntries(labels) } : {};
  return { ...series, service: clean(series.service), metric: clean(series.metric), ...named };
}

function evidenceLine(item: Evidence, triggerMs: number): string {
  const when = item.atMs === undefined ? '' : ` (${isoSeconds(item.atMs)}, ${relativeTime(item.atMs, triggerMs)})`;
  const query = item.query ? ` [query: ${item.query}]` : '';
  return oneLine(
    `[${item.id}] ${item.kind}${item.service ? ` of ${item.service}` : ''}${when}: ${item.statement}${query}`,
  );
}

/** Nothing found is an answer, not an error; a cut says so. */
function counted(what: string, lines: readonly string[], total: number): readonly string[] {
  if (total === 0) return [`No ${what} found. That is no proof of health: the search may be too narrow.`];
  return lines.length < total ? [`Showing ${lines.length} of ${total} ${what}.`, ...lines] : lines;
}

/** Whole lines only; says how many were left out. */
function withinLimit(lines: readonly string[]): string {
  const kept: string[] = [];
  let size = 0;
  for (const line of lines) {
    size += line.length + 1;
    if (size > MAX_RESULT_CHARACTERS) break;
    kept.push(line);
  }
  const left = lines.length - kept.length;
  return [...kept, ...(left ? [`(${left} more lines left out for space; narrow the search)`] : [])].join('\n');
}
