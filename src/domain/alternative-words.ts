import type { Report } from './report.ts';

/** The evidence on both sides of an alternative: `for it: M1; against it: L2`. Empty for one that nobody weighed. */
export function sidesInWords({ supporting = [], contradicting = [] }: Report['alternatives'][number]): string {
  return [
    ...(supporting.length > 0 ? [`for it: ${supporting.join(', ')}`] : []),
    ...(contradicting.length > 0 ? [`against it: ${contradicting.join(', ')}`] : []),
  ].join('; ');
}
