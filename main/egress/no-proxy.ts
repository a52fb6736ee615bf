import { BlockList, isIP } from 'node:net';
import { isLoopbackHost } from '../settings/service-address';
import { portOf } from './hosts';

/**
 * Returns whether a URL is requested without the proxy. That holds for hosts of this machine and for those of
 * `network.noProxy`: `host`, `.domain` or `*.domain` (all names below it), a literal, or a network such as
 * `10.0.0.0/8` (for literals only: names are not looked up for this). Each but a network may end in `:port`.
 */
export function noProxyRule(entries: readonly string[]): (url: URL) => boolean {
  const hosts = new Set<string>();
  const domains: { readonly suffix: string; readonly port: string | null }[] = [];
  const networks = new BlockList();
  for (const entry of entries) {
    const network = /^(.+)\/(\d{1,3})$/.exec(entry);
    if (network) {
      const [, address = '', bits = ''] = network;
      networks.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
      continue;
    }
    const [, host = '', port = null] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
    const name = normal(host.replace(/^\*?\./, ''));
    if (/^\*?\./.test(host)) domains.push({ suffix: `.${name}`, port });
    else hosts.add(port === null ? name : `${name}:${port}`);
  }
  return (url) => {
    const name = normal(url.hostname);
    if (isLoopbackHost(name)) return true;
    const port = String(portOf(url));
    if (hosts.has(name) || hosts.has(`${name}:${port}`)) return true;
    if (domains.some((each) => name.endsWith(each.suffix) && (each.port ?? port) === port)) return true;
    const kind = isIP(name);
    return kind !== 0 && networks.check(name, kind === 6 ? 'ipv6' : 'ipv4');
  };
}

/** As URLs spell a host, without brackets and the trailing dot. */
function normal(host: string): string {
  const spelt = URL.parse(`http://${host}`)?.hostname ?? host.toLowerCase();
  return spelt.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}
