import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Secret } from '../../settings/secret';
import { isPublicAddress } from './address-ranges';
import { isLocalName, isLoopbackName } from './local-names';
import { UNANSWERED } from './lookup-behind-proxy';
import { bareHost, hostAndPort, normalEntry, portOf } from './operator-hosts';
import { type Interfaces, ownNetworks } from './own-networks';
import type { Proxies } from './proxies';
import { isWebPort } from './web-ports';

/** What a URL of an ad is wanted for. */
export type FencePurpose = 'beacon' | 'wrapper' | 'media' | 'guest' | 'link';

/** Where a connection may go: exactly these addresses, every one of them checked as its route wants. */
export interface CheckedTarget {
  readonly ok: true;
  /** As the URL names it: lower case, a v6 literal without its brackets. */
  readonly hostname: string;
  readonly port: number;
  /** In the resolver's order; none only behind a proxy, which resolves the name itself. */
  readonly addresses: readonly LookupAddress[];
  /** The way there; absent: directly. */
  readonly proxy?: HttpProxy;
}

/** A forward proxy as the target that it is itself, and what it asks for. */
export interface HttpProxy extends Omit<CheckedTarget, 'proxy'> {
  /** `user:password`; null: none. */
  readonly credentials: Secret | null;
}

export interface FenceRefusal {
  readonly ok: false;
  /**
   * `fenced`: the ad must not go there. `name`: the name has no address at the moment.
   * `proxy-unreachable`: there is a proxy that cannot be used.
   */
  readonly code: 'fenced' | 'name' | 'proxy-unreachable';
  /** In words; names the host, never the rest of the URL. */
  readonly message: string;
}

export interface Fence {
  /**
   * Resolves a URL once and says where a connection for it may go. Connect to the
   * addresses in the answer and to nothing else: a name that changes its mind
   * afterwards is not asked again. Never rejects.
   */
  resolve(url: URL, purpose: FencePurpose): Promise<CheckedTarget | FenceRefusal>;
}

/** All addresses of a name, as `dns.promises.lookup(name, { all: true })` gives them. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

const SERVICE_PURPOSES: ReadonlySet<FencePurpose> = new Set(['beacon', 'wrapper', 'media']);

/**
 * The fence around everything an ad names (rule 22): redirects, and what a page
 * asks for, too. It leads to the ports of the web (`web-ports.ts`) on the public
 * internet. Refused, however they are spelt, unless the operator named the host:
 * addresses outside the public internet, and those of this machine and of the
 * networks that it is on, whatever their kind.
 *
 * @param options.serviceUrls addresses of the service: their host and port are
 *   allowed for beacons, wrappers and media, never for guests and links
 * @param options.allowPrivateHosts `host` (each of its ports) or `host:port`, allowed for everything
 * @param options.interfaces read at each check: networks come and go while a kiosk runs
 * @param options.lookup for names in ads: it must end by itself and hold no thread (`ads-lookup.ts`)
 * @param options.behindProxy the store's proxies. Names are checked as ever where DNS
 *   answers here. Where only the proxy can resolve one (`lookup-behind-proxy.ts`), it passes
 *   unless it is one of a local network by its spelling, and `onUnchecked` is told
 */
export function createFence(options: {
  readonly serviceUrls: readonly string[];
  readonly allowPrivateHosts: readonly string[];
  readonly lookup: Lookup;
  readonly interfaces?: Interfaces;
  readonly behindProxy?: {
    readonly proxies: Proxies;
    readonly lookup: Lookup;
    readonly onUnchecked: (hostname: string) => void;
  };
}): Fence {
  const { behindProxy } = options;
  const interfaces = options.interfaces ?? networkInterfaces;
  const services = new Set(options.serviceUrls.map((url) => hostAndPort(new URL(url))));
  const allowed = new Set(options.allowPrivateHosts.map(normalEntry));

  function isNamed(url: URL, purpose: FencePurpose): boolean {
    const host = hostAndPort(url);
    if (allowed.has(host) || allowed.has(bareHost(url))) return true;
    return SERVICE_PURPOSES.has(purpose) && services.has(host);
  }

  /** Null: the system does not tell on which networks this machine is. */
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
          `port ${port} of ${url.hostname} is none of the web; name ${hostAndPort(url)} in network.allowPrivateHosts if ads may reach it`,
        );
      }
      // Always this machine (RFC 6761), and a look-up that finds no name server takes seconds.
      if (!isOpen && isLoopbackName(url.hostname)) return outside(url);
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
 * The service's own, as the settings name it: where it is, or the way there
 * through a proxy, which resolves it. Without a judgement. Never rejects.
 */
export async function routeToService(
  url: URL,
  lookup: Lookup,
  proxies: Proxies,
): Promise<CheckedTarget | FenceRefusal> {
  const proxy = await proxies(url);
  if (proxy === null) return resolveUrl(url, lookup);
  return 'code' in proxy ? proxy : targetBehind(proxy, url, null);
}

/** A URL's target behind a proxy; without addresses where it is not looked up (null), or not found, here. */
async function targetBehind(
  proxy: HttpProxy,
  url: URL,
  lookup: Lookup | null,
): Promise<CheckedTarget | FenceRefusal> {
  const named = nameOf(url);
  if (!named.ok) return named;
  if (lookup === null || named.addresses.length > 0) return { ...named, proxy };
  const answer = await ask(lookup, named.hostname);
  if (answer === UNANSWERED) {
    return refusal('name', `${named.hostname} cannot be checked: DNS answers here, but not for this name`);
  }
  const found = typeof answer === 'string' ? named : judgeable(named, answer);
  return found.ok ? { ...found, proxy } : found;
}

const outside = ({ hostname }: { readonly hostname: string }) =>
  refusal(
    'fenced',
    `${hostname} is not in the public internet; name it in network.allowPrivateHosts if ads may reach it`,
  );

/** What a URL says by itself: its address only where that is a literal. */
function nameOf(url: URL): CheckedTarget | FenceRefusal {
  const port = portOf(url);
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  if (port === null || port === 0 || hostname === '') {
    return refusal('fenced', `expected an http(s) address, got ${url.protocol}`);
  }
  const literal = isIP(hostname);
  return { ok: true, hostname, port, addresses: literal ? [{ address: hostname, family: literal }] : [] };
}

/** The addresses of a URL, without a judgement. Never rejects. */
async function resolveUrl(url: URL, lookup: Lookup): Promise<CheckedTarget | FenceRefusal> {
  const named = nameOf(url);
  if (!named.ok || named.addresses.length > 0) return named;
  const { hostname } = named;
  const answer = await ask(lookup, hostname);
  if (typeof answer === 'string') return refusal('name', `${hostname} could not be resolved (${answer})`);
  if (answer.length === 0) return refusal('name', `${hostname} has no address`);
  return judgeable(named, answer);
}

/** The target with what its look-up answered, if those are addresses. */
function judgeable(named: CheckedTarget, addresses: readonly LookupAddress[]): CheckedTarget | FenceRefusal {
  const known = addresses.every(({ address }) => isIP(address) !== 0);
  return known
    ? { ...named, addresses }
    : refusal('fenced', `${named.hostname} resolved to something that is no address`);
}

/** The addresses, or the code of why there are none. */
async function ask(lookup: Lookup, hostname: string): Promise<LookupAddress[] | string> {
  try {
    return [...(await lookup(hostname))];
  } catch (fault) {
    return fault instanceof Error && 'code' in fault ? String(fault.code) : 'no reason given';
  }
}

const refusal = (code: FenceRefusal['code'], message: string): FenceRefusal => ({ ok: false, code, message });
