import { relativeTime } from '../../domain/relative-time.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import { buildErrorTaxonomy, type ErrorKind } from './error-taxonomy.ts';
import type { LogMeasures, TemplateMeasure } from './log-measures.ts';
import { linesInWords } from './log-words.ts';

const MAX_COMPONENTS = 4;
const MAX_QUOTED = 6;
const MAX_QUOTE = 60;

interface NotesInput {
  readonly ranked: readonly TemplateMeasure[];
  readonly shown: ReadonlySet<TemplateMeasure>;
  /** As many templates as are shown without a reason of their own. */
  readonly most: number;
  readonly measures: LogMeasures;
}

/** Sentences that count all that no item shows (SPEC C3, A13), and sum the errors by kind (A11). */
export function notesOf({ ranked, shown, most, measures }: NotesInput): string[] {
  const rest = ranked.filter((measure) => !shown.has(measure) && measure.count > 0);
  const errors = rest.filter(({ template }) => template.isError);
  const begun = errors.filter(({ change }) => change === 'new' || change === 'burst');
  const { foldedLines, linesOutside } = measures;
  const kinds = errorKinds(ranked);
  return [
    ...(shown.size > most
      ? [`${shown.size} log templates instead of ${most}: what is new, growing or gone is kept however rare it is.`]
      : []),
    ...(rest.length > 0
      ? [
          `and ${inTemplates(rest, 'other template')}${errors.length > 0 ? `, of them ${inTemplates(errors, 'error template')}` : ''}`,
        ]
      : []),
    ...(begun.length > 0 ? [`Among these, new or growing errors: ${quoted(begun)}`] : []),
    ...(foldedLines > 0 ? [`${linesInWords(foldedLines)} of stack traces folded into the events they belong to`] : []),
    ...(linesOutside > 0 ? [`${linesInWords(linesOutside)} outside the window not counted above`] : []),
    ...(kinds.length > 0
      ? [`Errors by kind: ${kinds.map((kind) => kindInWords(kind, measures.triggerMs)).join('; ')}`]
      : []),
  ];
}

function inTemplates(templates: readonly TemplateMeasure[], noun: string): string {
  const lines = templates.reduce((sum, { count }) => sum + count, 0);
  return `${linesInWords(lines)} in ${templates.length} ${noun}${templates.length === 1 ? '' : 's'}`;
}

function quoted(templates: readonly TemplateMeasure[]): string {
  const quotes = templates
    .slice(0, MAX_QUOTED)
    .map(({ template, count }) => `"${clip(oneLine(template.text), MAX_QUOTE)}" ${count}`);
  const more = templates.length - quotes.length;
  return `${quotes.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function errorKinds(ranked: readonly TemplateMeasure[]): ErrorKind[] {
  const errors = ranked.filter(({ template, count }) => template.isError && count > 0);
  return buildErrorTaxonomy(
    errors.map(({ template, count, firstMs, lastMs }) => ({
      message: `${template.text} ${template.sample}`,
      count,
      firstMs,
      lastMs,
    })),
  );
}

function kindInWords({ errorType, count, affectedComponents, firstMs, lastMs }: ErrorKind, triggerMs: number): string {
  const components = affectedComponents.filter((name) => !name.includes('<*>')).slice(0, MAX_COMPONENTS);
  const about = components.length > 0 ? `, about ${clip(oneLine(components.join(', ')), 120)}` : '';
  const times = Number.isNaN(firstMs)
    ? ''
    : `, ${relativeTime(firstMs, triggerMs)} to ${relativeTime(lastMs, triggerMs)}`;
  return `${errorType} ${linesInWords(count)}${about}${times}`;
}
