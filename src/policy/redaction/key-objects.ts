import { isMasked, type Mask, type RedactionPass } from './placeholder.ts';

/** RFC 7517: which members of a JSON Web Key are private. `x`, `y`, `n` and `e` are the public half. */
const PRIVATE_MEMBER =
  /(\\{0,7}["'](?:d|p|q|dp|dq|qi|k)\\{0,7}["'][ \t\n]{0,4}:[ \t\n]{0,4}\\{0,7}["'])([\w+/=-]{16,4096})/g;
const LONGEST_KEY = 8192;
/** PuTTY: the lines after the count. */
const PUTTY =
  /(Private-Lines:[ \t]{1,4}\d{1,3}(?:\r?\n|\\r\\n|\\n))((?:[A-Za-z0-9+/=]{1,128}(?:\r?\n|\\r\\n|\\n)?){1,200})/g;
/** base64 of `-----BEGIN `: a certificate or a key; the label decides. */
const ENCODED_PEM = /LS0tLS1CRUdJTi[A-Za-z0-9+/=_-]{20,}/g;
/** base64 of `{"auths":`: the registries' passwords. */
const ENCODED_DOCKER = /(?<![A-Za-z0-9+/])eyJhdXRocyI6[A-Za-z0-9+/=_-]{16,}/g;

/** Private keys in other wrappings than PEM: JWK, PuTTY, base64 of PEM. */
export const keyObjectPass: RedactionPass = (text, mask) => {
  let redacted = text;
  if (redacted.includes('kty')) redacted = maskWebKeys(redacted, mask);
  if (redacted.includes('Private-Lines')) {
    redacted = redacted.replace(PUTTY, (all: string, head: string, lines: string) =>
      isMasked(lines)
        ? all
        : head +
          mask('private-key', lines.replace(/(?:\r?\n|\\r\\n|\\n)$/, '')) +
          (/(?:\r?\n|\\r\\n|\\n)$/.exec(lines)?.[0] ?? ''),
    );
  }
  if (redacted.includes('LS0tLS1CRUdJTi')) {
    redacted = redacted.replace(ENCODED_PEM, (blob) => (isPrivatePem(blob) ? mask('private-key', blob) : blob));
  }
  return redacted.includes('eyJhdXRocyI6')
    ? redacted.replace(ENCODED_DOCKER, (blob) => mask('registry-auth', blob))
    : redacted;
};

function isPrivatePem(base64: string): boolean {
  return /PRIVATE KEY/.test(Buffer.from(base64.slice(0, 96), 'base64').toString('latin1'));
}

/** A key is a flat object: from the brace before `kty` to the one after it. */
function maskWebKeys(text: string, mask: Mask): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = text.indexOf('kty'); at >= 0; at = text.indexOf('kty', Math.max(from, at + 3))) {
    const opened = text.slice(Math.max(from, at - LONGEST_KEY), at).lastIndexOf('{');
    if (opened < 0) continue;
    const start = Math.max(from, at - LONGEST_KEY) + opened;
    const closing = text.slice(at, at + LONGEST_KEY).indexOf('}');
    const end = closing < 0 ? Math.min(text.length, at + LONGEST_KEY) : at + closing;
    const masked = text
      .slice(start, end)
      .replace(PRIVATE_MEMBER, (all: string, head: string, value: string) =>
        isMasked(value) ? all : head + mask('private-key', value),
      );
    kept.push(text.slice(from, start), masked);
    from = end;
  }
  return kept.join('') + text.slice(from);
}
