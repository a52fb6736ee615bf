import { BlockList, isIP } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { isPublicAddress } from './address-ranges';

/** The network interfaces of this machine, as `os.networkInterfaces()` gives them. */
export type Interfaces = () => Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** A shorter prefix is not a store's network: then only the address counts. */
const SHORTEST_PREFIX_V4 = 16;
const SHORTEST_PREFIX_V6 = 48;
/** The hosts of an IPv6 network share this prefix, even if DHCPv6 gave a host no more than an address. */
const NETWORK_BITS_V6 = 64;

/**
 * The addresses of this machine for people who look for it, loopback left out. None while the system does not tell
 * them: it needs a socket for that, and may have none left.
 */
export function ownAddresses(interfaces: Interfaces = networkInterfaces): string[] {
  try {
    return Object.values(interfaces())
      .flatMap((found) => found ?? [])
      .filter(({ internal }) => !internal)
      .map(({ address }) => address);
  } catch {
    return [];
  }
}

/**
 * Whether an address belongs to this machine or to a network that it is on,
 * however public (rule 22): a store may have global IPv6 or public IPv4 addresses.
 * A v4 address mapped into v6 or behind NAT64 is judged as that v4 address.
 * Ranges that are never public are not the question here.
 */
export function ownNetworks(interfaces: ReturnType<Interfaces>): (address: string) => boolean {
  const own = new BlockList();
  for (const { address, cidr } of Object.values(interfaces).flatMap((found) => found ?? [])) {
    // Other addresses are fenced anyway, and a network of ::1 would contain the mapped v4 addresses.
    if (!isPublicAddress(address)) continue;
    const stated = Number(cidr?.split('/')[1] ?? 0);
    if (isIP(address) === 4) {
      const bits = stated < SHORTEST_PREFIX_V4 ? 32 : stated;
      own.addSubnet(address, bits, 'ipv4');
      own.addSubnet(`64:ff9b::${address}`, 96 + bits, 'ipv6');
    } else {
      own.addSubnet(address, stated < SHORTEST_PREFIX_V6 ? 128 : Math.min(stated, NETWORK_BITS_V6), 'ipv6');
    }
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && own.check(address, family === 4 ? 'ipv4' : 'ipv6');
  };
}
