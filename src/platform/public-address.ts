import ipaddr from 'ipaddr.js';

/** Platform services on addresses that look public: Azure's wire server. */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16']);

/** Global unicast (RFC 4291). What lies outside and is not listed as special (`::7f00:1`, an old way to write 127.0.0.1) is no public host. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/**
 * True for an address of the open internet. Private, loopback, link-local (cloud metadata), unique-local, carrier-grade NAT, multicast
 * and reserved ranges are not, nor IPv6 addresses that wrap IPv4 ones (mapped ones are judged by what they wrap).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv6' && !parsed.match(GLOBAL_IPV6)) return false;
  return parsed.range() === 'unicast' && !PLATFORM_ADDRESSES.has(parsed.toString());
}
