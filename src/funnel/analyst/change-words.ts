import { spoken } from './spoken.ts';

/**
 * What was changed, without what the sentence around it says already: of `config of payments: payments configuration: pool changed from 16
 * to 2` the part `pool changed from 16 to 2`. The statement of a change is `<kind> of <service>: <summary>`.
 */
export function changeInWords(statement: string, service: string): string {
  const name = service.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const summary = statement.replace(new RegExp(`^\\S+ of ${name}: `), '');
  const bare = summary.replace(new RegExp(`^${name}( configuration| config| settings?)?: `, 'i'), '');
  return spoken(bare || summary, 200);
}
