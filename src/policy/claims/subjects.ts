import type { Evidence } from '../../domain/evidence.ts';

/** True when the item is measured at the service, or speaks of it by name. */
export function isAbout(item: Evidence, service: string): boolean {
  const name = service.toLowerCase();
  return item.service?.toLowerCase() === name || mentions(item.statement, name) || mentions(item.query ?? '', name);
}

/**
 * True when the item was measured at the service, or a measurement names it. That a log line or a tool's answer speaks of a service proves nothing: anybody
 * can write its name.
 */
export function isMeasuredAt(item: Evidence, service: string): boolean {
  if (item.service?.toLowerCase() === service.toLowerCase()) return true;
  return item.kind !== 'log' && item.kind !== 'tool' && isAbout(item, service);
}

/** What may count as a test of a cause: measured at the accused service; of none, as load from outside, any measurement. */
export function isTestOf(item: Evidence, service: string | null): boolean {
  return service === null ? item.kind !== 'log' && item.kind !== 'tool' : isMeasuredAt(item, service);
}

/**
 * True when a sentence about one service cites only evidence of others, and names none of them: a reader would take their figures for those of
 * this one. Items that belong to no service may be about any.
 */
export function isAboutOthers(statement: string, service: string, evidence: readonly Evidence[]): boolean {
  return (
    evidence.length > 0 &&
    evidence.every(
      (item) =>
        item.service !== undefined &&
        !sharesName(item.service, service) &&
        !isAbout(item, service) &&
        !mentions(statement, item.service),
    )
  );
}

/** A pod, a database and a service often carry one another's names: `ledger-db`, `ledger-7d9f8-x2`. */
function sharesName(a: string, b: string): boolean {
  return mentions(a, b) || mentions(b, a);
}

function mentions(text: string, name: string): boolean {
  return text.toLowerCase().includes(name.toLowerCase());
}
