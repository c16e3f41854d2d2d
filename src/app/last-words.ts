import { randomBytes } from 'node:crypto';
import { examineOwnConfig } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import { createRedactor, type Redactor } from '../policy/redact.ts';
import { sanitize } from '../policy/untrusted.ts';
import { explainError } from './explain-error.ts';
import { createProcessRedactor } from './process-redactor.ts';

export interface LastWords {
  /** One message for the terminal, redacted like everything else that leaves the process. */
  readonly text: string;
  /** 2: a person can do something about it. 1: a bug; then the text has the stack. */
  readonly exitCode: 1 | 2;
}

/** What to say about an error that ends the process. Node itself would print every property of it, commands and headers included. */
export function lastWords(error: unknown, load: () => Config = loadUsable): LastWords {
  const message = explainError(error);
  const said = message ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
  const text = `rootnote: ${redactorOf(load).redact(sanitize(said))}\n`;
  return { text, exitCode: message === undefined ? 1 : 2 };
}

/** The secrets among them are known, whatever is wrong with other settings. */
const loadUsable = () => examineOwnConfig().config;

/** Settings that cannot be read have no secrets to look for; the rules apply all the same. */
function redactorOf(load: () => Config): Redactor {
  try {
    return createProcessRedactor(load());
  } catch {
    return createRedactor({ secrets: [], key: randomBytes(32).toString('hex') });
  }
}
