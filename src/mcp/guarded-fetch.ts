import * as http from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import type { FetchLike } from '@modelcontextprotocol/client';
import ipaddr from 'ipaddr.js';
import { guardedLookup } from '../platform/http-request.ts';
import { isPublicAddress } from '../platform/public-address.ts';
import { isLoopbackAddress, isLoopbackHost, type HttpSettings } from './settings.ts';

/**
 * A fetch for one server: it connects only to addresses that the settings allow, checked on the address that is then connected to, follows no redirect
 * by itself, and ends every answer at `maxBytes`. Bodies stream, since servers answer with event streams; `onCut` is told of a body that was cut,
 * because the client takes that for a stream to be resumed and waits.
 */
export function guardedFetch(settings: HttpSettings, maxBytes: number, onCut: (error: Error) => void): FetchLike {
  const allowAddress = allowedBy(settings);
  return (input, init) => {
    const url = new URL(input);
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) && !allowAddress(literal))
      return Promise.reject(new Error(`${url.host} is an address that is not allowed here`));
    const { signal } = init ?? {};
    const options: https.RequestOptions = {
      method: init?.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init?.headers)),
      lookup: guardedLookup(allowAddress),
      // No shared agent: a connection that somebody else opened to the same host was not checked.
      agent: false,
      ...(signal ? { signal } : {}),
    };
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? https.request : http.request;
      const outgoing = send(url, options, (incoming) => resolve(toResponse(incoming, maxBytes, onCut)));
      outgoing.on('error', reject);
      outgoing.end(typeof init?.body === 'string' ? init.body : undefined);
    });
  };
}

/** A loopback URL may reach loopback and nothing else; any other the open internet and the networks of the allow-list. */
function allowedBy({ url, allowAddresses }: HttpSettings): (address: string) => boolean {
  if (isLoopbackHost(new URL(url).hostname)) return isLoopbackAddress;
  const networks = allowAddresses.map((network) => ipaddr.parseCIDR(network));
  return (address) => {
    if (isPublicAddress(address)) return true;
    const parsed = ipaddr.process(address);
    return networks.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits));
  };
}

/** Statuses that the Response of the platform allows no body for. */
const BODYLESS = new Set([101, 103, 204, 205, 304]);

function toResponse(incoming: http.IncomingMessage, maxBytes: number, onCut: (error: Error) => void): Response {
  const status = incoming.statusCode ?? 0;
  const headers = new Headers(
    Object.entries(incoming.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')] as [string, string]],
    ),
  );
  if (BODYLESS.has(status)) {
    incoming.resume();
    return new Response(null, { status, headers });
  }
  const body = Readable.toWeb(Readable.from(capped(incoming, maxBytes, onCut), { objectMode: false }));
  return new Response(body as ConstructorParameters<typeof Response>[0], { status, headers });
}

async function* capped(
  incoming: AsyncIterable<Buffer>,
  maxBytes: number,
  onCut: (error: Error) => void,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > maxBytes) {
      const error = new Error(`its answer is larger than ${maxBytes} bytes`);
      onCut(error);
      throw error;
    }
    yield chunk;
  }
}
