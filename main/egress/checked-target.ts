import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';
import type { Secret } from '../settings/secret';

/** Where a connection may go: exactly these addresses, each of them checked. */
export interface CheckedTarget {
  readonly ok: true;
  /** As the URL names it: lower case, a v6 literal without its brackets. */
  readonly hostname: string;
  readonly port: number;
  /** In the resolver's order; empty only behind a proxy, which resolves the name itself. */
  readonly addresses: readonly LookupAddress[];
  /** Proxy to use; absent: none. */
  readonly proxy?: HttpProxy;
}

/** A forward proxy: its own target and credentials. */
export interface HttpProxy extends Omit<CheckedTarget, 'proxy'> {
  /** `user:password`; null: none. */
  readonly credentials: Secret | null;
}

export interface EgressRefusal {
  readonly ok: false;
  /**
   * `fenced`: the ad must not go there. `name`: the name has no address at the moment.
   * `proxy-unreachable`: there is a proxy that cannot be used. `connection`: the network may not be used now.
   */
  readonly code: 'fenced' | 'name' | 'proxy-unreachable' | 'connection';
  /** For logs; names the host, never the rest of the URL. */
  readonly message: string;
}

export const refusal = (code: EgressRefusal['code'], message: string): EgressRefusal => ({
  ok: false,
  code,
  message,
});

/** All addresses of a name, as `dns.promises.lookup(name, { all: true })` gives them. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/**
 * Opens a connection to a checked target and to nothing else, through its proxy
 * if it has one, with TLS to the target where `secure`. Rejects with the system's
 * error, with a `SendError`, or with the signal's reason.
 */
export type OpenConnection = (target: CheckedTarget, secure: boolean, signal: AbortSignal) => Promise<Socket>;
