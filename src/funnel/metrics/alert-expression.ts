import type { Incident } from '../../domain/incident.ts';
import type { MetricSeries } from '../../domain/telemetry.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';

const MAX_EXPRESSION = 80;
/** A comparison with a number at the end of an expression: `> 0.2`, `>= bool 5)`. */
const AT_END = /(>=|<=|==|!=|>|<)\s*(?:bool\s*)?([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)[\s)]*$/i;

/** The expression of an alert that a series shows, in words for a sentence, and the limit it is compared with (`> 0.2`) when that is certain. */
export interface ShownExpression {
  readonly text: string;
  readonly limit: string | undefined;
}

/**
 * Undefined for a series that is not the alert's own. A provider asks for the measured side only, so the limit is looked up in the link of the alert whose
 * expression begins with what was asked. All of it is foreign text.
 */
export function shownExpression(series: MetricSeries, incident: Incident): ShownExpression | undefined {
  const { query } = series;
  if (!series.fromAlert || query === undefined) return undefined;
  const asked = oneLine(query);
  const rules = incident.alerts.flatMap(({ generatorUrl }) => expressionIn(generatorUrl) ?? []);
  const rule = rules.find((expression) => expression.replace(/^[\s(]+/, '').startsWith(asked)) ?? asked;
  const [, comparison, number] = AT_END.exec(rule) ?? [];
  return {
    // `; ` and `: ` part the clauses of a statement.
    text: clip(rule, MAX_EXPRESSION).replace(/[;:] /g, ' '),
    limit: comparison && number ? `${comparison} ${number}` : undefined,
  };
}

function expressionIn(link: string | undefined): string | undefined {
  const base = 'http://relative';
  if (link === undefined || !URL.canParse(link, base)) return undefined;
  const expression = new URL(link, base).searchParams.get('g0.expr');
  return expression ? oneLine(expression) : undefined;
}
