import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { errorCode } from '../describe-error';
import { isLoopbackHost } from '../settings/service-address';
import { isPublicAddress } from './address-ranges';
import {
  type CheckedTarget,
  type EgressRefusal,
  type HttpProxy,
  type Lookup,
  refusal,
} from './checked-target';
import { bareHost, hostAndPort, isLocalName, normalEntry, portOf } from './hosts';
import { UNANSWERED } from './lookup-behind-proxy';
import { type Interfaces, ownNetworks } from './own-networks';
import type { Proxies } from './proxies';
import { isWebPort } from './web-ports';

export type EgressPurpose = 'beacon' | 'wrapper' | 'media' | 'guest' | 'link';

export interface EgressPolicy {
  /**
   * Resolves a URL once and says where a connection for it may go. Connect to these
   * addresses only and do not resolve the name again: it could change. Never rejects.
   */
  resolve(url: URL, purpose: EgressPurpose): Promise<CheckedTarget | EgressRefusal>;
}

const SERVICE_PURPOSES: ReadonlySet<EgressPurpose> = new Set(['beacon', 'wrapper', 'media']);

/**
 * The egress policy for everything an ad names (rule 22), including redirects and the requests of a page. It
 * allows the ports of the web (`web-ports.ts`) on the public internet. Unless the operator named the host, it
 * refuses addresses outside the public internet, and all addresses of this machine and of its networks,
 * however they are spelt.
 *
 * @param options.serviceUrls addresses of the service: their host and port are allowed for beacons, wrappers
 *   and media, never for guests and links
 * @param options.allowPrivateHosts `host` (each of its ports) or `host:port`, allowed for everything
 * @param options.interfaces read at each check: networks come and go while a kiosk runs
 * @param options.lookup for names in ads: it must have its own time limit and occupy no thread
 *   (`ads-lookup.ts`)
 * @param options.behindProxy the store's proxies. Names that DNS resolves here are checked as usual. A name
 *   that only the proxy can resolve (`lookup-behind-proxy.ts`) passes unless its spelling is that of a local
 *   name, and `onUnchecked` is called
 */
export function createEgressPolicy(options: {
  readonly serviceUrls: readonly string[];
  readonly allowPrivateHosts: readonly string[];
  readonly lookup: Lookup;
  readonly interfaces?: Interfaces;
  readonly behindProxy?: {
    readonly proxies: Proxies;
    readonly lookup: Lookup;
    readonly onUnchecked: (hostname: string) => void;
  };
}): EgressPolicy {
  const { behindProxy } = options;
  const interfaces = options.interfaces ?? networkInterfaces;
  const services = new Set(options.serviceUrls.map((url) => hostAndPort(new URL(url))));
  const allowed = new Set(options.allowPrivateHosts.map(normalEntry));

  function isNamed(url: URL, purpose: EgressPurpose): boolean {
    const host = hostAndPort(url);
    if (allowed.has(host) || allowed.has(bareHost(url))) return true;
    return SERVICE_PURPOSES.has(purpose) && services.has(host);
  }

  /** Null: the system call for the networks of this machine failed. */
  function isReachable(addresses: readonly LookupAddress[]): boolean | null {
    if (!addresses.every(({ address }) => isPublicAddress(address))) return false;
    try {
      const isOwn = ownNetworks(interfaces());
      return !addresses.some(({ address }) => isOwn(address));
    } catch {
      return null;
    }
  }

  return {
    async resolve(url, purpose) {
      const isOpen = isNamed(url, purpose);
      const port = portOf(url);
      if (!isOpen && port !== null && port !== 0 && !isWebPort(port)) {
        return refusal(
          'fenced',
          `port ${port} of ${url.hostname} is not a web port; name ${hostAndPort(url)} in network.allowPrivateHosts if ads may reach it`,
        );
      }
      // Always this machine (RFC 6761). Not looked up: without a name server that takes seconds.
      if (!isOpen && isLoopbackHost(url.hostname)) return outside(url);
      const proxy = (await behindProxy?.proxies(url)) ?? null;
      if (proxy !== null && 'code' in proxy) return proxy;
      const target =
        behindProxy && proxy
          ? await targetBehind(proxy, url, isOpen ? null : behindProxy.lookup)
          : await resolveUrl(url, options.lookup);
      if (!target.ok || isOpen) return target;
      if (behindProxy && target.addresses.length === 0) {
        if (isLocalName(target.hostname)) return outside(target);
        behindProxy.onUnchecked(target.hostname);
        return target;
      }
      const reachable = isReachable(target.addresses);
      if (reachable) return target;
      if (reachable === null) return refusal('name', "this machine's own networks cannot be read now");
      return outside(target);
    },
  };
}

/**
 * The target of an address that the operator named in the settings; it is not checked.
 * Behind a proxy the proxy resolves the name. Never rejects.
 */
export async function routeToService(
  url: URL,
  lookup: Lookup,
  proxies: Proxies,
): Promise<CheckedTarget | EgressRefusal> {
  const proxy = await proxies(url);
  if (proxy === null) return resolveUrl(url, lookup);
  return 'code' in proxy ? proxy : targetBehind(proxy, url, null);
}

/** A URL's target behind a proxy; without addresses if `lookup` is null or finds none. */
async function targetBehind(
  proxy: HttpProxy,
  url: URL,
  lookup: Lookup | null,
): Promise<CheckedTarget | EgressRefusal> {
  const named = nameOf(url);
  if (!named.ok) return named;
  if (lookup === null || named.addresses.length > 0) return { ...named, proxy };
  const answer = await ask(lookup, named.hostname);
  if (answer === UNANSWERED) {
    return refusal('name', `${named.hostname} cannot be checked: DNS answers here, but not for this name`);
  }
  return { ...named, addresses: typeof answer === 'string' ? [] : answer, proxy };
}

const outside = ({ hostname }: { readonly hostname: string }) =>
  refusal(
    'fenced',
    `${hostname} is not in the public internet; name it in network.allowPrivateHosts if ads may reach it`,
  );

/** Target of a URL without a look-up: it has an address only if the host is a literal. */
function nameOf(url: URL): CheckedTarget | EgressRefusal {
  const port = portOf(url);
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  if (port === null || port === 0 || hostname === '') {
    return refusal('fenced', `expected an http(s) address, got ${url.protocol}`);
  }
  const literal = isIP(hostname);
  return { ok: true, hostname, port, addresses: literal ? [{ address: hostname, family: literal }] : [] };
}

/** Resolves a URL without checking it. Never rejects. */
async function resolveUrl(url: URL, lookup: Lookup): Promise<CheckedTarget | EgressRefusal> {
  const named = nameOf(url);
  if (!named.ok || named.addresses.length > 0) return named;
  const { hostname } = named;
  const answer = await ask(lookup, hostname);
  if (typeof answer === 'string') return refusal('name', `${hostname} could not be resolved (${answer})`);
  if (answer.length === 0) return refusal('name', `${hostname} has no address`);
  return { ...named, addresses: answer };
}

/** The addresses, or an error code. */
async function ask(lookup: Lookup, hostname: string): Promise<LookupAddress[] | string> {
  try {
    return [...(await lookup(hostname))];
  } catch (error) {
    return errorCode(error) ?? 'no reason given';
  }
}
