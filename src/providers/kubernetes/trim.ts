import type { KubernetesObject } from '../../domain/telemetry.ts';
import { listAt, textAt } from '../../funnel/events/json-path.ts';
import { judgeName } from '../../policy/redaction/names.ts';
import { isHarmlessValue } from '../../policy/redaction/values.ts';
import { isRecord, type JsonRecord } from '../json-record.ts';
import type { Resource } from './resources.ts';

/** What stands for a value that may be secret, as in recordings. */
const HIDDEN = '<redacted>';
const CERTIFICATE = '<certificate>';
const LONGEST_ANNOTATION = 1000;
/** Text of a specification that is longer holds a script or data, which no rule reads. */
const LONGEST_TEXT = 20_000;

/**
 * The object as far as it is looked at, or undefined for what may not be: a Secret. Without bookkeeping (`managedFields`, `uid`, `resourceVersion`, the last applied
 * manifest), without mounted service account tokens, and with `<redacted>` in place of values that look like credentials.
 */
export function trimObject(item: JsonRecord, resource: Resource): KubernetesObject | undefined {
  if (/secret/i.test(textAt(item, 'kind') ?? resource.kind)) return undefined;
  const { kind, group, version } = resource;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const metadata = trimMetadata(item['metadata']);
  if (resource.metadataOnly) return { apiVersion, kind, metadata };
  const parts = Object.entries(item).filter(([name]) => name !== 'metadata');
  const open = parts.map(([name, value]) => [name, trimValue(value, name)] as const);
  return { ...Object.fromEntries(open), apiVersion, kind, metadata };
}

const BOOKKEEPING: ReadonlySet<string> = new Set(['managedFields', 'uid', 'resourceVersion', 'selfLink']);
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

function trimMetadata(metadata: unknown): JsonRecord {
  if (!isRecord(metadata)) return {};
  const kept = Object.entries(metadata).filter(([name]) => !BOOKKEEPING.has(name));
  return Object.fromEntries(
    kept.map(([name, value]) => {
      if (name === 'annotations' && isRecord(value)) return [name, trimAnnotations(value)];
      if (name === 'ownerReferences' && Array.isArray(value)) return [name, value.map(withoutUid)];
      return [name, value];
    }),
  );
}

function trimAnnotations(annotations: JsonRecord): JsonRecord {
  const kept = Object.entries(annotations).filter(
    ([name, value]) => name !== LAST_APPLIED && typeof value === 'string' && value.length <= LONGEST_ANNOTATION,
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, hideNamed(name, value as string)]));
}

function withoutUid(owner: unknown): unknown {
  if (!isRecord(owner)) return owner;
  const { uid: _uid, ...kept } = owner;
  return kept;
}

/** Bulk of nodes that nothing reads: every image they hold. */
const UNREAD: ReadonlySet<string> = new Set(['images', 'volumesInUse', 'volumesAttached', 'managedFields', 'uid']);
const TOKEN_MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Walks a specification or status. `name` is that of the field which holds the value. */
function trimValue(value: unknown, name: string): unknown {
  if (typeof value === 'string') return hideNamed(name, trimText(value, name));
  if (Array.isArray(value)) return trimList(value, name);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !UNREAD.has(key));
  return Object.fromEntries(entries.map(([key, inner]) => [key, trimValue(inner, key)]));
}

function trimList(items: readonly unknown[], name: string): unknown {
  if (name === 'env') return items.map(hideVariable);
  if (name === 'command' || name === 'args') return hideArguments(items);
  const kept =
    name === 'volumes'
      ? items.filter((volume) => !holdsToken(volume))
      : name === 'volumeMounts'
        ? items.filter((mount) => textAt(mount, 'mountPath') !== TOKEN_MOUNT)
        : items;
  return kept.map((item) => trimValue(item, name));
}

/** The projected volume that a kubelet fills with the pod's own token. */
function holdsToken(volume: unknown): boolean {
  const sources = isRecord(volume) ? listAt(volume['projected'], 'sources') : [];
  return sources.some((source) => isRecord(source) && source['serviceAccountToken'] !== undefined);
}

function trimText(value: string, name: string): string {
  if (value.includes('-----BEGIN ')) return /PRIVATE KEY/.test(value) ? HIDDEN : CERTIFICATE;
  if (name === 'caBundle') return CERTIFICATE;
  return hidePasswords(value.length > LONGEST_TEXT ? value.slice(0, LONGEST_TEXT) : value);
}

function hideVariable(entry: unknown): unknown {
  if (!isRecord(entry) || typeof entry['value'] !== 'string') return entry;
  const name = textAt(entry, 'name') ?? '';
  return { ...entry, value: hideNamed(name, trimText(entry['value'], name)) };
}

/** Names of fields and variables are few and come again with every object. */
const MOST_NAMES = 10_000;
const verdicts = new Map<string, ReturnType<typeof judgeName>>();

function verdictOn(name: string): ReturnType<typeof judgeName> {
  if (verdicts.has(name)) return verdicts.get(name);
  if (verdicts.size >= MOST_NAMES) verdicts.clear();
  const verdict = judgeName(name);
  verdicts.set(name, verdict);
  return verdict;
}

/** The value, unless its name says that it is a secret and it may be one. */
function hideNamed(name: string, value: string): string {
  const verdict = verdictOn(name);
  return verdict === undefined || isHarmlessValue(value, verdict.type) ? value : HIDDEN;
}

const OPTION = /^(--?[\w.-]{1,80})(?:=(.*))?$/s;

/** `--password=x` and `--password x`. */
function hideArguments(items: readonly unknown[]): readonly unknown[] {
  return items.map((item, i) => {
    if (typeof item !== 'string') return item;
    const [, option, value] = OPTION.exec(item) ?? [];
    if (option !== undefined && value !== undefined) return `${option}=${hideNamed(option, hidePasswords(value))}`;
    const before = items[i - 1];
    const named = typeof before === 'string' ? OPTION.exec(before) : undefined;
    if (named && named[2] === undefined && option === undefined) return hideNamed(named[1] ?? '', trimText(item, ''));
    return trimText(item, '');
  });
}

/** Passwords in addresses: `postgres://user:x@db:5432`, `user:x@tcp(db:3306)`. The address stays, for the analyst reads whom pods call. */
function hidePasswords(text: string): string {
  if (!text.includes('@')) return text;
  return text
    .replace(/(:\/\/[^\s:/@]{0,200}:)[^\s@/]{1,400}@/g, `$1${HIDDEN}@`)
    .replace(/^([^\s:/@]{1,200}:)[^\s@/]{1,400}@(?=(?:tcp|unix)\()/, `$1${HIDDEN}@`);
}
