import { connect, type PeerCertificate } from 'node:tls';
import { isIP } from 'node:net';
import pLimit from 'p-limit';
import { abortAfter } from '../domain/deadline.ts';
import type { CertificateHost } from '../domain/probe.ts';
import type { Moment } from '../funnel/probes/judge-times.ts';
import type { Reading } from './reader.ts';

const PARALLEL = 4;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const MOST_REASONS = 5;

/**
 * When the certificates of these hosts expire, by a handshake after which the connection is closed; nothing is sent. The certificate is not trusted, only
 * read: an expired or private one is what is looked for. Hosts that do not answer are in the note, by name. Throws when none answers.
 */
export async function readExpiries(hosts: readonly CertificateHost[], signal: AbortSignal): Promise<Reading<Moment>> {
  const limit = pLimit(PARALLEL);
  const settled = await Promise.allSettled(hosts.map((host) => limit(() => readExpiry(host, signal))));
  const items = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failures = settled.flatMap((one) => (one.status === 'rejected' ? [messageOf(one.reason)] : []));
  if (failures.length === 0) return { items };
  const reasons = [...failures.slice(0, MOST_REASONS), ...(failures.length > MOST_REASONS ? ['…'] : [])].join('; ');
  const note = hosts.length === 1 ? reasons : `${failures.length} of ${hosts.length} hosts cannot be read: ${reasons}`;
  if (items.length === 0) throw new Error(note);
  return { items, note };
}

async function readExpiry({ host, port, servername }: CertificateHost, signal: AbortSignal): Promise<Moment> {
  const place = port === 443 ? host : `${host}:${port}`;
  const name = servername ?? (isIP(host) === 0 ? host : undefined);
  const certificate = await handshake({ host, port, name, place }, signal);
  const atMs = Date.parse(certificate.valid_to);
  if (Number.isNaN(atMs)) throw new Error(`${place} shows a certificate without an end`);
  const object = servername === undefined || servername === host ? place : `${place} (${servername})`;
  return {
    service: host,
    object,
    atMs,
    evidence: { kind: 'tool', atMs: undefined, query: `TLS handshake with ${place}` },
  };
}

interface Peer {
  readonly host: string;
  readonly port: number;
  readonly name: string | undefined;
  readonly place: string;
}

function handshake({ host, port, name, place }: Peer, signal: AbortSignal): Promise<PeerCertificate> {
  const deadline = abortAfter(signal, HANDSHAKE_TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      rejectUnauthorized: false,
      ...(name === undefined ? {} : { servername: name }),
    });
    const end = (settle: () => void) => {
      deadline.removeEventListener('abort', onAbort);
      socket.destroy();
      settle();
    };
    const onAbort = () => end(() => reject(new Error(`${place} did not finish a TLS handshake in time`)));
    if (deadline.aborted) return onAbort();
    deadline.addEventListener('abort', onAbort);
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerCertificate();
      end(() => resolve(certificate));
    });
    socket.on('error', (error) => end(() => reject(new Error(`${place} ${inWords(error)}`, { cause: error }))));
    socket.once('close', () => end(() => reject(new Error(`${place} closed the connection before the handshake`))));
  });
}

/** What OpenSSL makes of bytes that are no answer to a handshake. */
const NOT_TLS = /wrong version number|packet length too long|unknown protocol|http request|record layer failure/;

function inWords({ code = '', message, reason }: NodeJS.ErrnoException & { readonly reason?: string }): string {
  if (code.startsWith('ERR_SSL')) {
    const why = reason ?? message;
    return NOT_TLS.test(why) ? 'does not speak TLS' : `refuses the TLS handshake: ${why}`;
  }
  if (code === 'ECONNREFUSED') return 'refuses the connection';
  return code === 'ENOTFOUND' ? 'has no address in the DNS' : `does not answer: ${message}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
