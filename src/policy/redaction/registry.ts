import type { RedactionPass } from './placeholder.ts';

/** Shorter values would hit ordinary words. */
const SHORTEST_SECRET = 8;

/** Masks the values the process itself holds, in every form a client library or a log may print them. Knows no grammar, so it is exact. */
export function registryPass(secrets: readonly string[]): RedactionPass {
  // Longest first: a form may be a part of another one.
  const forms = [...secretsByForm(secrets)].sort(([a], [b]) => b.length - a.length);
  return (text, mask) => {
    let redacted = text;
    for (const [form, secret] of forms) {
      if (redacted.includes(form)) redacted = redacted.replaceAll(form, () => mask('known-secret', secret));
    }
    return redacted;
  };
}

/** One of them matches every text that holds one of the values. */
export function registrySigns(secrets: readonly string[]): readonly RegExp[] {
  return [...secretsByForm(secrets).keys()].map((form) => new RegExp(form.replace(/[^\w\s]/g, '\\$&')));
}

function secretsByForm(secrets: readonly string[]): ReadonlyMap<string, string> {
  const secretOf = new Map<string, string>();
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
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
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll('%20', '+'),
    ...[0, 1, 2].flatMap((offset) => {
      const inner = base64At(secret, offset);
      return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
    }),
  ]);
}

/** The part of any base64 text that depends on nothing but the secret, when the secret starts `offset` bytes into a group of three. */
function base64At(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret, 'utf8')]);
  const whole = bytes.toString('base64');
  const start = Math.ceil((offset * 8) / 6);
  const end = Math.floor((bytes.length * 8) / 6);
  return whole.slice(start, end);
}
