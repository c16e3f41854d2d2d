import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Source } from '../sources/source.ts';
import { WEBHOOK_PATH } from './webhook-receiver.ts';

/**
 * True for a request that may be a web page's where nothing is asked for: a webhook of an open source, or anything else when the API is open. Of senders that
 * sign or show credentials none is refused here: a proxy may call the server by any name.
 */
export function createPageGuard(
  sources: readonly Pick<Source, 'name' | 'auth'>[],
  isApiOpen: boolean,
): (request: IncomingMessage) => boolean {
  const isOpen = new Map(sources.map(({ name, auth }) => [WEBHOOK_PATH + name, auth.kind === 'open']));
  return (request) => {
    const path = request.url?.split('?', 1)[0] ?? '';
    return (isOpen.get(path) ?? isApiOpen) && isFromWebPage(request);
  };
}

/**
 * True for a request that a web page makes through somebody's browser. Loopback keeps out other machines, not the pages open on this one:
 * any of them can post to 127.0.0.1, and one whose name is made to resolve there (DNS rebinding) can read the answer. Senders of alerts
 * send no `Origin`, and know this server by its address or as localhost.
 */
function isFromWebPage(request: IncomingMessage): boolean {
  if (request.headers.origin !== undefined) return true;
  if (!isLoopback(request.socket.localAddress ?? '')) return false;
  const host = (request.headers.host ?? '').replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
  return host !== '' && host.toLowerCase() !== 'localhost' && isIP(host) === 0;
}

/** Of the addresses this machine is reached by: few, and asked for with every request. */
const loopback = new Map<string, boolean>();
const MOST_ADDRESSES = 100;

function isLoopback(address: string): boolean {
  const known = loopback.get(address);
  if (known !== undefined) return known;
  const found = ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
  if (loopback.size < MOST_ADDRESSES) loopback.set(address, found);
  return found;
}
