import type { Incident } from '../../domain/incident.ts';
import type { Labels } from '../../domain/labels.ts';

const MAX_EXPRESSIONS = 5;
const MAX_LENGTH = 5000;

export interface AlertExpression {
  readonly expression: string;
  readonly alertName: string;
  readonly labels: Labels;
}

/**
 * The rules' own expressions, from the generator links of the firing alerts: `…/graph?g0.expr=…` (`…/query?g0.expr=…` in the new web
 * interface). Each once, with the alert it came from.
 */
export function alertExpressions(incident: Incident): readonly AlertExpression[] {
  const found = new Map<string, AlertExpression>();
  for (const alert of incident.alerts) {
    const expression = expressionOf(alert.generatorUrl);
    if (alert.status !== 'firing' || !expression || found.has(expression)) continue;
    found.set(expression, { expression, alertName: alert.labels['alertname'] ?? 'alert', labels: alert.labels });
  }
  return [...found.values()].slice(0, MAX_EXPRESSIONS);
}

/** Undefined when the link carries none. The host of the link plays no part: only the configured server is ever asked. */
export function expressionOf(generatorUrl: string | undefined): string | undefined {
  if (!generatorUrl) return undefined;
  const base = 'http://relative';
  if (!URL.canParse(generatorUrl, base)) return undefined;
  const expression = new URL(generatorUrl, base).searchParams.get('g0.expr')?.trim();
  return expression && expression.length <= MAX_LENGTH ? expression : undefined;
}

/** Whether a series is one the alert is about: no label of it says otherwise than the alert's. */
export function agrees(series: Labels, alert: Labels): boolean {
  return Object.entries(series).every(([name, value]) => alert[name] === undefined || alert[name] === value);
}

const QUANTILE_OF = /histogram_quantile\(\s*0?\.(\d{1,3})\s*,[^]*?\b([a-zA-Z_:][\w:]*)_bucket\b/;

/**
 * What the values of an expression are called when its result has lost the name: the histogram and its quantile
 * (`http_request_duration_seconds_p95`), since that tells what is measured; else the alert.
 */
export function nameOfExpression({ expression, alertName }: AlertExpression): string {
  const [, quantile, histogram] = QUANTILE_OF.exec(expression) ?? [];
  return quantile && histogram ? `${histogram}_p${quantile.padEnd(2, '0')}` : `alert:${alertName}`;
}
