import ipaddr from 'ipaddr.js';

/** True for a name or address to listen on that no other machine reaches. */
export function isLoopbackHost(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}
