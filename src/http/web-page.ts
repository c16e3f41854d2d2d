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
    const { url = '' } = request;
    return (isOpen.get(url) ?? isOpen.get(url.split('?', 1)[0] ?? '') ?? isApiOpen) && isFromWebPage(request);
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
  return isForeignName(request.headers.host ?? '');
}

/** Of answers that are asked for with every request, and are few. */
const MOST_REMEMBERED = 100;
const isLoopback = remember((address) => ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback');
const isForeignName = remember((authority) => {
  const host = authority.replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
  return host !== '' && host.toLowerCase() !== 'localhost' && isIP(host) === 0;
});

function remember(decide: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => {
    const found = known.get(text) ?? decide(text);
    if (known.size < MOST_REMEMBERED) known.set(text, found);
    return found;
  };
}
