interface Stored {
  readonly key: string;
  readonly value: string;
  readonly mod_revision: string;
}

const RANGE_END_OF_REGISTRY = '/registry0';
const BATCH = 100;

/** Records that live from their times: leases would run out, and events carry their own. */
const LIVING = /^\/registry\/(leases|events|masterleases|serviceaccounts\/|secrets\/)/;
/** A date and time as the API writes it, with or without a fraction. */
const STAMP = /"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z"/g;

/**
 * Makes everything that stands in the cluster `byMs` older, as if it had been set up that long ago: each time in each object goes back. The API takes no
 * creation times from anybody, so this writes into the store, where the API server's watch picks it up. What changed in between is left as it is.
 */
export async function ageCluster(etcdUrl: string, byMs: number): Promise<void> {
  const { kvs = [] } = await ask<{ readonly kvs?: readonly Stored[] }>(etcdUrl, 'range', {
    key: encode('/registry/'),
    range_end: encode(RANGE_END_OF_REGISTRY),
  });
  const older = kvs.flatMap((stored) => {
    if (LIVING.test(decode(stored.key))) return [];
    const text = decode(stored.value);
    const aged = text.replace(STAMP, (_, whole: string, fraction = '') => `"${shift(whole, byMs)}${fraction}Z"`);
    return aged === text ? [] : [{ ...stored, value: encode(aged) }];
  });
  for (let from = 0; from < older.length; from += BATCH) {
    await Promise.all(older.slice(from, from + BATCH).map((stored) => putUnlessChanged(etcdUrl, stored)));
  }
}

/** Forgets all history: pages that were begun before answer 410. */
export async function compactHistory(etcdUrl: string): Promise<void> {
  const { header } = await ask<{ readonly header: { readonly revision: string } }>(etcdUrl, 'range', {
    key: encode('/registry/health'),
  });
  await ask(etcdUrl, 'compaction', { revision: header.revision, physical: true });
}

function putUnlessChanged(etcdUrl: string, { key, value, mod_revision }: Stored): Promise<unknown> {
  return ask(etcdUrl, 'txn', {
    compare: [{ key, target: 'MOD', result: 'EQUAL', mod_revision }],
    success: [{ request_put: { key, value } }],
  });
}

function shift(stamp: string, byMs: number): string {
  return new Date(Date.parse(`${stamp}Z`) - byMs).toISOString().slice(0, 19);
}

async function ask<T>(etcdUrl: string, call: 'range' | 'txn' | 'compaction', body: unknown): Promise<T> {
  const response = await fetch(`${etcdUrl}/v3/kv/${call}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`etcd ${call}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

const encode = (text: string) => Buffer.from(text).toString('base64');
const decode = (text: string) => Buffer.from(text, 'base64').toString();
