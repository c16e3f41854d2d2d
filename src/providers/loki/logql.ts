import { ERROR_LEVEL_PATTERN, ERROR_WORD_PATTERN } from '../logs/error-lines.ts';
import type { FieldMatch, LineFilter } from '../logs/log-source.ts';
import { escapeRegex, stringLiteral } from '../prometheus/promql.ts';

/**
 * The LogQL for a filter. Values come from alerts and models, which anybody may have written: they stand as text between quotes and cannot leave them.
 * `levelField` is the label or structured metadata that holds a line's level; without one the words of the line tell.
 */
export function toLogql(filter: Omit<LineFilter, 'fromNs' | 'untilNs'>, levelField: string | undefined): string {
  const { fields, contains, telling } = filter;
  const parts = [
    selector(fields),
    ...(contains === undefined ? [] : [`|~ ${stringLiteral(`(?i)${escapeRegex(contains)}`)}`]),
    ...(telling === undefined ? [] : [tellingPart(telling, levelField)]),
  ];
  return parts.join(' ');
}

/** `{app="cart", namespace="shop"}` */
export function selector(fields: readonly FieldMatch[]): string {
  return `{${fields.map(matcher).join(', ')}}`;
}

function matcher(match: FieldMatch): string {
  if ('set' in match) return match.set ? `${match.field}=~".+"` : `${match.field}=""`;
  const [first = '', ...others] = match.values;
  if (others.length === 0) return `${match.field}=${stringLiteral(first)}`;
  return `${match.field}=~${stringLiteral(match.values.map(escapeRegex).join('|'))}`;
}

function tellingPart(telling: 'errors' | 'others', levelField: string | undefined): string {
  if (levelField === undefined) return `${telling === 'errors' ? '|~' : '!~'} ${stringLiteral(ERROR_WORD_PATTERN)}`;
  return `| ${levelField} ${telling === 'errors' ? '=~' : '!~'} ${stringLiteral(ERROR_LEVEL_PATTERN)}`;
}
