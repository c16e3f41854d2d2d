import type { Evidence, EvidenceBook } from '../../domain/evidence.ts';
import { relativeTime } from '../../domain/relative-time.ts';
import type { KubernetesObject, MetricSeries, Span, SpanStats } from '../../domain/telemetry.ts';
import { kindOf, nameOf, namespaceOf } from '../../funnel/events/identity.ts';
import { clip, fence, oneLine, sanitize } from '../../policy/untrusted.ts';
import { disguiseIds } from '../evidence/foreign-ids.ts';
import { listChanges } from '../evidence/list-changes.ts';
import { mergeEvents } from '../evidence/merge-events.ts';
import { isOpen, summarizeObjects, notableFirst } from '../evidence/summarize-objects.ts';
import { exampleTraces } from '../evidence/trace-examples.ts';
import { callStatistics, countedStatistics } from '../evidence/trace-statistics.ts';
import { CAPS, truncateErrorLogs, truncateLogs } from '../evidence/truncate.ts';
import { Page, type Clean } from './page.ts';
import { presentText } from './present-text.ts';
import { isoSeconds } from './relative-window.ts';
import { summarizeLogs, type LogGroup } from './summarize-logs.ts';
import { summarizeSeries, USUAL } from './summarize-series.ts';
import type { ToolData } from './tool.ts';

const MOST_EVENTS = 40;
/** More are not even cleaned. */
const MOST_OBJECTS = 200;
const MOST_CHANGES = 40;
const MOST_OPERATIONS = 20;
const MOST_ITEMS = 40;
/** An object in full is long and worth it. */
const OBJECT_CHARACTERS = 2400;
/** Of the room that is left: what operations may take, then the lines of all traces, then each tree. */
const OPERATIONS_SHARE = 0.45;
const TRACE_LINES_SHARE = 0.4;
const TREE_SHARE = 0.7;

export interface Presentation {
  readonly triggerMs: number;
  readonly book: EvidenceBook;
  readonly redact: (text: string) => string;
  readonly nonce: string;
}

export interface Presented {
  readonly text: string;
  /** There is more than it shows; it says so itself. */
  readonly isCut: boolean;
}

/**
 * The one way of a tool's result to the model: sanitise and redact → compact → cut → fence (SPEC A15). Every series, group, event, object, change
 * and trace that is shown becomes evidence whose id stands before it, so that it can be cited; nothing that others wrote can look like that.
 */
export function present(toolName: string, data: ToolData, presentation: Presentation): Presented {
  const clean = cleanerOf(presentation);
  const page = new Page(presentation.book, clean);
  page.say(`Searched ${clip(oneLine(clean(data.searched)), 600)}`);
  page.say(...data.notes.map((note) => clip(oneLine(clean(note)), 600)));
  write(page, data, clean, presentation.triggerMs);
  return { text: fence(toolName, page.text, presentation.nonce), isCut: page.isCut };
}

/** Errors take the same way: they quote what a provider said. */
export function presentFailure(toolName: string, message: string, presentation: Presentation): string {
  return fence(toolName, clip(oneLine(cleanerOf(presentation)(message)), 600), presentation.nonce);
}

/** Equal texts are cleaned once: a thousand records name a few services. */
function cleanerOf({ redact }: Presentation): Clean {
  const known = new Map<string, string>();
  return (text) => {
    const cleaned = known.get(text) ?? disguiseIds(redact(sanitize(text)));
    if (text.length < 200 && known.size < 5000) known.set(text, cleaned);
    return cleaned;
  };
}

function write(page: Page, data: ToolData, clean: Clean, triggerMs: number): void {
  const searched = oneLine(clean(data.searched));
  switch (data.kind) {
    case 'series':
      return writeSeries(
        page,
        data.series.map((series) => cleanSeries(series, clean)),
        triggerMs,
        searched,
      );
    case 'logs': {
      const records = data.records.map((record) => cleanFields(record, ['service', 'level', 'message'], clean));
      return writeLogs(page, summarizeLogs(records, triggerMs, searched, data.isPart));
    }
    case 'events': {
      const events = data.events.map((event) => cleanFields(event, ['message', 'reason', 'objectName'], clean));
      page.list({ what: 'events', entries: mergeEvents(events, triggerMs), most: MOST_EVENTS });
      return;
    }
    case 'objects':
      return writeObjects(page, data.objects, clean, triggerMs);
    case 'changes': {
      const changes = data.changes.map((change) => cleanFields(change, ['kind', 'summary'], clean));
      page.list({ what: 'changes', entries: listChanges(changes, triggerMs), most: MOST_CHANGES });
      return;
    }
    case 'spans': {
      const spans = data.spans.map((span) => cleanFields(span, ['service', 'operation'], clean));
      return writeTraces(page, spans, data.stats, clean, triggerMs, searched);
    }
    case 'evidence':
      page.list({
        what: 'evidence items',
        entries: data.items.map((item) => evidenceLine(item, clean, triggerMs)),
        most: MOST_ITEMS,
        maxCharacters: 1000,
      });
      return;
    case 'text':
      return presentText(page, data, clean, searched);
    default:
      return data satisfies never;
  }
}

function cleanFields<T extends object>(record: T, fields: readonly (keyof T)[], clean: Clean): T {
  const cleaned = { ...record };
  for (const field of fields) {
    const value = record[field];
    if (typeof value === 'string') cleaned[field] = clean(value) as T[typeof field];
  }
  return cleaned;
}

function cleanSeries(series: MetricSeries, clean: Clean): MetricSeries {
  const labels = Object.entries(series.labels ?? {}).map(([name, value]) => [clean(name), clean(value)] as const);
  const named = labels.length ? { labels: Object.fromEntries(labels) } : {};
  return { ...cleanFields(series, ['service', 'metric'], clean), ...named };
}

/** What moved most comes first. */
function writeSeries(page: Page, series: readonly MetricSeries[], triggerMs: number, searched: string): void {
  const entries = series
    .map((one) => summarizeSeries(one, triggerMs, searched))
    .sort((a, b) => b.deviation - a.deviation);
  if (entries.length > 0) page.say(USUAL);
  page.list({ what: 'series', entries, most: CAPS.metrics });
}

/** Kinds of errors as a headline, then the groups: at most 30 of errors and 50 in all. */
function writeLogs(page: Page, { groups, errorKinds }: ReturnType<typeof summarizeLogs>): void {
  if (errorKinds.length > 0) page.say(`Errors by kind: ${errorKinds.join(' | ')}`);
  const errors = groups.filter(({ isError }) => isError);
  const kept = truncateLogs([...truncateErrorLogs(errors), ...groups.filter(({ isError }) => !isError)]);
  const shown = page.list({ what: 'log groups', entries: kept, total: groups.length, most: kept.length });
  const hidden = linesIn(groups) - linesIn(kept.slice(0, shown));
  if (hidden > 0) page.say(`and ${hidden} more lines, in log groups not shown: ${groups.length - shown}`);
}

const linesIn = (groups: readonly LogGroup[]) => groups.reduce((total, { count }) => total + count, 0);

function writeObjects(page: Page, objects: readonly KubernetesObject[], clean: Clean, triggerMs: number): void {
  const open = notableFirst(objects.filter(isOpen), triggerMs);
  if (open.length < objects.length)
    page.say(`Objects that hold secrets are never shown: ${objects.length - open.length} left out.`);
  const cleaned = open.slice(0, MOST_OBJECTS).map((object) => cleanObject(object, clean));
  const entries = summarizeObjects(cleaned, triggerMs);
  if (entries.length < open.length)
    page.say(`${open.length} objects; those of a kind that show nothing notable share a line.`);
  page.list({
    what: 'objects',
    entries,
    total: entries.length + open.length - cleaned.length,
    most: MOST_OBJECTS,
    maxCharacters: OBJECT_CHARACTERS,
  });
}

/** As JSON, in which a key stands beside its value: that is what tells a secret. What does not survive that keeps its name only. */
function cleanObject(object: KubernetesObject, clean: Clean): KubernetesObject {
  try {
    return JSON.parse(clean(JSON.stringify(object))) as KubernetesObject;
  } catch {
    const metadata = { name: clean(nameOf(object)), namespace: clean(namespaceOf(object)) };
    return { kind: clean(kindOf(object)), metadata };
  }
}

/** How the calls of each operation went, then traces: a line each, and the trees of the most telling. */
function writeTraces(
  page: Page,
  spans: readonly Span[],
  stats: readonly SpanStats[],
  clean: Clean,
  triggerMs: number,
  searched: string,
): void {
  const operations = [...callStatistics(spans, searched, triggerMs), ...countedStatistics(stats, searched, triggerMs)];
  page.list({
    what: 'operations',
    entries: operations,
    most: MOST_OPERATIONS,
    share: spans.length > 0 ? OPERATIONS_SHARE : 1,
  });
  if (spans.length === 0) return;
  const traces = exampleTraces(spans, triggerMs);
  const shown = page.list({
    what: 'traces',
    entries: traces.map(({ line }) => line),
    most: CAPS.traces,
    share: TRACE_LINES_SHARE,
  });
  for (const { tree } of traces.slice(0, shown))
    page.sayWhatFits(
      tree.map((line) => clean(line).replace(/\n/g, ' ')),
      TREE_SHARE,
    );
}

function evidenceLine(item: Evidence, clean: Clean, triggerMs: number): string {
  const when = item.atMs === undefined ? '' : ` (${isoSeconds(item.atMs)}, ${relativeTime(item.atMs, triggerMs)})`;
  const query = item.query ? ` [query: ${item.query}]` : '';
  const words = `${item.kind}${item.service ? ` of ${item.service}` : ''}${when}: ${item.statement}${query}`;
  return `[${item.id}] ${oneLine(clean(words))}`;
}
