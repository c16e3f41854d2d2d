import type { Programs } from '../grammar.ts';
import { certificate, file, many, name, number, oneOf, text } from '../values.ts';

/** What is public of certificates; nothing that reads a key. */
export const certificates: Programs = {
  openssl: {
    oneDash: true,
    verbs: {
      x509: {
        oneDash: true,
        words:
          'noout text dates enddate startdate subject issuer serial fingerprint hash subject_hash issuer_hash purpose email ocsp_uri modulus pubkey alias sha1 sha256 sha512 md5',
        values: {
          in: certificate,
          inform: oneOf('PEM DER pem der'),
          nameopt: text,
          certopt: text,
          ext: text,
          dateopt: name,
          checkend: number,
          checkhost: text,
          checkip: text,
        },
        rule: ({ options }) => (options.has('in') && options.has('noout') ? undefined : 'needs -in FILE and -noout'),
      },
      crl: {
        oneDash: true,
        words: 'noout text lastupdate nextupdate issuer hash fingerprint',
        values: { in: certificate, inform: oneOf('PEM DER pem der') },
        rule: ({ options }) => (options.has('in') && options.has('noout') ? undefined : 'needs -in FILE and -noout'),
      },
      req: {
        oneDash: true,
        words: 'noout text subject verify pubkey',
        values: { in: certificate },
        rule: ({ options }) => (options.has('in') && options.has('noout') ? undefined : 'needs -in FILE and -noout'),
      },
      dgst: { oneDash: true, words: 'sha1 sha256 sha384 sha512 md5 r hex', operands: many(file, 1) },
      version: { oneDash: true, words: 'a v b o f p d' },
    },
  },
};
