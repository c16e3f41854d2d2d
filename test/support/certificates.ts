import { join } from 'node:path';
import type { describe } from '@jest/globals';
import { runProgram } from '../../src/platform/run-program.ts';
import { skipSuite } from './describe-if.ts';

const OPENSSL = 'openssl';
const LIMIT = { timeoutMs: 30_000 };

/** The suite where certificates can be made; else it is skipped and says so. */
export async function whereCertificates(suite: typeof describe.skip): Promise<typeof describe.skip> {
  try {
    await runProgram(OPENSSL, ['version'], LIMIT);
    return suite;
  } catch {
    return skipSuite('no openssl on PATH');
  }
}

/** Files of one certificate. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface TestAuthority extends TestCertificate {
  /** For 127.0.0.1, or for other names, as OpenSSL writes them: `DNS:api.test`. */
  sign(who: string, names?: string): Promise<TestCertificate>;
}

const NEW_KEY = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];

/** An authority that nobody else knows, and what it signs, as PEM files of the folder. */
export async function createAuthority(folder: string): Promise<TestAuthority> {
  const make = async (who: string, ...args: readonly string[]): Promise<TestCertificate> => {
    const made = { cert: join(folder, `${who}.crt`), key: join(folder, `${who}.key`) };
    await runProgram(
      OPENSSL,
      [...NEW_KEY, '-subj', `/CN=${who}`, '-keyout', made.key, '-out', made.cert, ...args],
      LIMIT,
    );
    return made;
  };
  const own = await make('authority');
  const signed = ['-CA', own.cert, '-CAkey', own.key, '-addext'];
  return { ...own, sign: (who, names = 'IP:127.0.0.1') => make(who, ...signed, `subjectAltName=${names}`) };
}
