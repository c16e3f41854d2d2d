import type { RedactionPass } from './placeholder.ts';

/** Shorter values would hit ordinary words. */
const SHORTEST_SECRET = 8;

/** Masks the values the process itself holds, in every form a client library or a log may print them. Knows no grammar, so it is exact. */
export function registryPass(secrets: readonly string[]): RedactionPass {
  // Longest first: a form may be a part of another one.
  const forms = [...secretsByForm(secrets)].sort(([a], [b]) => b.length - a.length);
  const escaped = longEnough(secrets)
    .filter((secret) => !Array.from(secret).every((character) => PLAIN.test(character)))
    .map((secret) => [new RegExp(escapedForm(secret), 'g'), secret] as const);
  return (text, mask) => {
    let redacted = text;
    for (const [form, secret] of forms) {
      if (redacted.includes(form)) redacted = redacted.replaceAll(form, () => mask('known-secret', secret));
    }
    for (const [pattern, secret] of escaped) redacted = redacted.replace(pattern, () => mask('known-secret', secret));
    return redacted;
  };
}

/** One of them matches every text that holds one of the values. */
export function registrySigns(secrets: readonly string[]): readonly RegExp[] {
  const forms = [...secretsByForm(secrets).keys()].map(literal);
  return [...forms, ...longEnough(secrets).map(escapedForm)].map((source) => new RegExp(source));
}

function longEnough(secrets: readonly string[]): readonly string[] {
  return secrets.filter(({ length }) => length >= SHORTEST_SECRET);
}

function secretsByForm(secrets: readonly string[]): ReadonlyMap<string, string> {
  const secretOf = new Map<string, string>();
  for (const secret of longEnough(secrets)) {
    for (const form of formsOf(secret)) if (form.length >= SHORTEST_SECRET) secretOf.set(form, secret);
  }
  return secretOf;
}

function formsOf(secret: string): ReadonlySet<string> {
  const json = JSON.stringify(secret).slice(1, -1);
  return new Set([
    secret,
    json,
    JSON.stringify(json).slice(1, -1),
    ...[0, 1, 2].flatMap((offset) => {
      const inner = base64At(secret, offset);
      return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
    }),
  ]);
}

/** Characters that no program escapes in addresses or pages. */
const PLAIN = /^[\w.-]$/;
const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** Matches the value with any of its characters as addresses and pages may have them: programs differ in which they leave as they are. */
function escapedForm(secret: string): string {
  return Array.from(secret, (character) => {
    const plain = literal(character);
    if (PLAIN.test(character)) return plain;
    const bytes = Buffer.from(character, 'utf8').toString('hex').replace(/../g, '%$&');
    const code = character.codePointAt(0) ?? 0;
    const entity = `&(?:#0?${code}|#[xX]0?${caseless(code.toString(16))}${ENTITIES[character] ? `|${ENTITIES[character]}` : ''});`;
    return `(?:${plain}|${caseless(bytes)}|${entity}${character === ' ' ? '|\\+' : ''})`;
  }).join('');
}

const literal = (text: string): string => text.replace(/[^\w\s]/g, '\\$&');
const caseless = (hex: string): string => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/** The part of any base64 text that depends on nothing but the secret, when the secret starts `offset` bytes into a group of three. */
function base64At(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret, 'utf8')]);
  const whole = bytes.toString('base64');
  const start = Math.ceil((offset * 8) / 6);
  const end = Math.floor((bytes.length * 8) / 6);
  return whole.slice(start, end);
}
