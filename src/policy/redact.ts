import { createHmac } from 'node:crypto';
import { assignmentPass } from './redaction/assignments.ts';
import { commandPass } from './redaction/commands.ts';
import { credentialPass } from './redaction/credentials.ts';
import { cutPass } from './redaction/cuts.ts';
import { kubernetesSecretPass } from './redaction/kubernetes.ts';
import { placeholder, type Mask, type RedactionPass } from './redaction/placeholder.ts';
import { prefixPass } from './redaction/prefixes.ts';
import { privateKeyPass } from './redaction/private-keys.ts';
import { registryPass } from './redaction/registry.ts';

export interface RedactorOptions {
  /** What the process itself holds: keys, tokens, passwords of URLs. Masked in every encoding. */
  readonly secrets: readonly string[];
  /** Per-run key of the placeholders' hashes: equal secrets are recognisable within a run and nowhere else. */
  readonly key: string;
  /** Called once a masked value, with its type and nothing else. */
  readonly onRedacted?: (type: string) => void;
}

export interface Redactor {
  /** The text with every secret as `[REDACTED:type:h4]`. Idempotent; JSON stays JSON; linear time. Redact before any cut. */
  readonly redact: (text: string) => string;
  /** `redact`, with the types of what was found, in no particular order. */
  readonly find: (text: string) => { readonly text: string; readonly found: readonly { readonly type: string }[] };
}

/** The choke point of redaction: whatever leaves the process as text (to a model, the store, the log, a destination) goes through one. */
export function createRedactor({ secrets, key, onRedacted }: RedactorOptions): Redactor {
  const known = registryPass(secrets);
  const passes: readonly RedactionPass[] = [
    known,
    privateKeyPass,
    kubernetesSecretPass,
    prefixPass,
    cutPass,
    credentialPass,
    commandPass,
    assignmentPass,
    known,
  ];
  const hash4 = (value: string): string => createHmac('sha256', key).update(value).digest('hex').slice(0, 4);

  const find: Redactor['find'] = (text) => {
    const found: { type: string }[] = [];
    // A text that repeats a secret all over is hashed once.
    const hashes = new Map<string, string>();
    const mask: Mask = (type, value) => {
      found.push({ type });
      onRedacted?.(type);
      const hash = hashes.get(value) ?? hash4(value);
      hashes.set(value, hash);
      return placeholder(type, hash);
    };
    return { text: passes.reduce((current, pass) => pass(current, mask), text), found };
  };
  return { find, redact: (text) => find(text).text };
}
