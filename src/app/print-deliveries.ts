import type { DeliveryRecord } from '../domain/delivery.ts';
import { printDelivery } from './deliveries-command.ts';

/** What became of deliveries, a line each; those of a destination that later ones told as well are one line, so that nobody takes them for lost. */
export function printDeliveries(records: readonly DeliveryRecord[]): readonly string[] {
  const destinations = [...new Set(records.map(({ destination }) => destination))];
  return destinations.flatMap((name) => {
    const own = records.filter(({ destination }) => destination === name);
    const overtaken = own.filter(({ state }) => state === 'superseded');
    const others = own.filter(({ state }) => state !== 'superseded');
    return [...(overtaken.length > 0 ? [overtakenLine(name, overtaken)] : []), ...others.map(lineOf)];
  });
}

function lineOf(record: DeliveryRecord): string {
  return printDelivery(record).trimEnd();
}

function overtakenLine(name: string, records: readonly DeliveryRecord[]): string {
  const [first, last] = [records[0]?.content, records.at(-1)?.content];
  const which = records.length === 1 ? first : `${first} … ${last}`;
  const what = records.length === 1 ? '1 was' : `${records.length} were`;
  return `${name}: ${what} superseded by later ones, which tell it, too (${which})`;
}
