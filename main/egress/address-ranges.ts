import { BlockList, isIP } from 'node:net';

/** The ranges outside the public internet, by the IANA special-purpose registries: [network, prefix length]. */
const FORBIDDEN_V4: ReadonlyArray<readonly [network: string, bits: number]> = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by a carrier's customers
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's platform address: in a public range, but always local
  ['169.254.0.0', 16], // link-local, metadata services among them
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays, withdrawn
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
];

/** Excluded parts of the global unicast range (2000::/3); everything outside that range is refused anyway. */
const FORBIDDEN_V6: typeof FORBIDDEN_V4 = [
  ['2001::', 23], // protocol assignments: Teredo, ORCHID, benchmarks
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: a v4 address inside, any of them
  ['3fff::', 20], // documentation
];

/** Prefixes before an embedded v4 address, to which the connection leads (IPv4-mapped, NAT64). */
const CARRIERS_OF_V4 = ['::ffff:', '64:ff9b::'] as const;

const forbidden = new BlockList();
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
for (const [network, bits] of FORBIDDEN_V6) forbidden.addSubnet(network, bits, 'ipv6');
for (const [network, bits] of FORBIDDEN_V4) forbidden.addSubnet(network, bits, 'ipv4');
for (const carrier of CARRIERS_OF_V4) {
  globalUnicast.addSubnet(`${carrier}0.0.0.0`, 96, 'ipv6');
  for (const [network, bits] of FORBIDDEN_V4) forbidden.addSubnet(carrier + network, 96 + bits, 'ipv6');
}

/**
 * Whether an address (a literal as `net.isIP` knows it) lies in the public
 * internet (rule 22). Loopback, private, link-local, multicast, reserved and
 * documentation ranges do not; nor does anything with a zone, nor text that is
 * no address. A v4 address mapped into v6 or behind NAT64 is judged as that v4
 * address; 6to4 and Teredo, which could hide one, are refused.
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false;
  switch (isIP(address)) {
    case 4:
      return !forbidden.check(address, 'ipv4');
    case 6:
      return globalUnicast.check(address, 'ipv6') && !forbidden.check(address, 'ipv6');
    default:
      return false;
  }
}
