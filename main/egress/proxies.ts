import { isIP } from 'node:net';
import { type ProxyAddress, type ProxySetting, proxyName, readProxy } from '../settings/proxy-address';
import { type EgressRefusal, type HttpProxy, type Lookup, refusal } from './checked-target';
import { noProxyRule } from './no-proxy';

/** The proxy for a URL; null: none; a refusal: it cannot be used. Never rejects. */
export type Proxies = (url: URL) => Promise<HttpProxy | null | EgressRefusal>;

export const NO_PROXIES: Proxies = async () => null;

/**
 * What `network.proxy` and `network.noProxy` mean for each URL (rule 22).
 *
 * @param options.lookup for the proxy's own name, which the operator chose: it may be anywhere
 * @param options.resolveSystem the system's answer for an address, as a PAC script
 *   gives it ("PROXY host:port; DIRECT"); asked without path and query
 */
export function createProxies(options: {
  readonly proxy: ProxySetting | null;
  readonly noProxy: readonly string[];
  readonly lookup: Lookup;
  readonly resolveSystem: (url: string) => Promise<string>;
}): Proxies {
  const { proxy, lookup } = options;
  if (proxy === null) return NO_PROXIES;
  const goesDirect = noProxyRule(options.noProxy);

  async function chosen(url: URL): Promise<ProxyAddress | null | EgressRefusal> {
    if (proxy !== 'system') return proxy;
    try {
      return systemChoice(await options.resolveSystem(`${url.origin}/`));
    } catch {
      return unusable("the system's proxy settings cannot be read");
    }
  }

  return async (url) => {
    if (goesDirect(url)) return null;
    const address = await chosen(url);
    if (address === null || 'ok' in address) return address;
    const { hostname } = address;
    const kind = isIP(hostname);
    try {
      const addresses = kind === 0 ? await lookup(hostname) : [{ address: hostname, family: kind }];
      if (addresses.length > 0) return { ...address, ok: true, addresses };
    } catch {
      // Handled like a name without addresses.
    }
    return unusable(`the name of the proxy ${proxyName(address)} could not be resolved`);
  };
}

const unusable = (message: string) => refusal('proxy-unreachable', message);

/** The first entry that this kiosk understands, of "PROXY host:port; SOCKS5 host:port; DIRECT". */
function systemChoice(words: string): ProxyAddress | null | EgressRefusal {
  for (const entry of words.split(';')) {
    const [kind = '', where = ''] = entry.trim().split(/\s+/);
    if (kind.toUpperCase() === 'DIRECT') return null;
    const proxy = kind.toUpperCase() === 'PROXY' ? readProxy(`http://${where}`) : null;
    if (proxy !== null && proxy !== 'system') return proxy;
  }
  return unusable("the system's proxy settings name no HTTP proxy; write it into network.proxy");
}
