import { wildcard } from '../policy/wildcard.ts';

export { wildcard };

/** As `wildcard`; without a pattern everything matches. */
export function matcher(pattern: string | undefined): (name: string) => boolean {
  return pattern === undefined ? () => true : wildcard(pattern);
}
