import { spoken } from './spoken.ts';

/**
 * What was changed, without what the sentence around it says already: of `config of payments: payments configuration: pool changed from 16
 * to 2` the part `pool changed from 16 to 2`. The statement of a change is `<kind> of <service>: <summary>`.
 */
export function changeInWords(statement: string, service: string): string {
  const [, kind = ''] = /^(\S+ of )/.exec(statement) ?? [];
  const summary = withoutStart(statement, `${kind}${service}: `);
  const about = ['', ' configuration', ' config', ' setting', ' settings'].map((word) => `${service}${word}: `);
  const named = about.find((start) => startsWith(summary, start));
  const bare = named === undefined ? summary : summary.slice(named.length);
  return spoken(bare || summary, 200);
}

/** Compared as text: a name may be of any length, which a pattern may not. */
function startsWith(text: string, start: string): boolean {
  return text.slice(0, start.length).toLowerCase() === start.toLowerCase();
}

function withoutStart(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : text;
}
