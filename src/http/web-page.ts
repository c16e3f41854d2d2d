import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * True for a request that a web page makes through somebody's browser. Loopback keeps out other machines, not the pages open on this one:
 * any of them can post to 127.0.0.1, and one whose name is made to resolve there (DNS rebinding) can read the answer. Senders of alerts
 * send no `Origin`, and know this server by its address or as localhost.
 */
export function isFromWebPage(request: IncomingMessage): boolean {
  if (request.headers.origin !== undefined) return true;
  const local = request.socket.localAddress ?? '';
  if (!ipaddr.isValid(local) || ipaddr.process(local).range() !== 'loopback') return false;
  const host = (request.headers.host ?? '').replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
  return host !== '' && host.toLowerCase() !== 'localhost' && isIP(host) === 0;
}
