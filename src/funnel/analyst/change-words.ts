import { spoken } from './spoken.ts';

/** What was changed, without kind and service, which the sentence around it names. The statement of a change is `<kind> of <service>: <summary>`. */
export function changeInWords(statement: string, service: string): string {
  const start = ` of ${service}: `;
  const at = statement.indexOf(start);
  const summary = at < 0 ? statement : statement.slice(at + start.length);
  return spoken(summary || statement, 200);
}
