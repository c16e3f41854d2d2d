import { classifyCommand } from './shell/classify.ts';
import type { RiskClass } from './shell/risk-table.ts';

/** `rate(x[5m])`, `up{job="a"}`, `sum by (pod) (…)`: no program's name is followed by a bracket. */
const PROMQL = /^(?:[\d.]+ [-+*/] )?[a-z_:][\w:]*(?:\{|\s?\(|\s(?:by|without)\s?\()/i;
/** Questions to the DNS: the gate sends nothing anywhere, a person who runs what a report proposes may. */
const ASKS_DNS = /^(?:dig|nslookup|host)(?: [A-Za-z0-9@+][\w.:@+=-]*){1,6}$/;

/**
 * The class of a proposed command (or PromQL query) as a label for people. A model calls a risk what it likes, and what it was told by a log line may be
 * in it: what the gate does not know to read is R2 or more.
 */
export function riskOfCommand(command: string): RiskClass {
  const text = command.trim();
  if (PROMQL.test(text)) return /[;&|`$\\\n\r]/.test(text) ? 'R2' : 'R0';
  return ASKS_DNS.test(text) ? 'R0' : classifyCommand(text).class;
}

/** True for a proposed command (or PromQL query) that surely only reads. */
export function isReadOnlyCommand(command: string): boolean {
  return riskOfCommand(command) === 'R0';
}
