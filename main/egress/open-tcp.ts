import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeDeadline, rejectOnAbort, startDeadline } from '../deadline';
import { type Schedule, timers } from '../schedule';
import type { CheckedTarget } from './checked-target';

/** Pause before the next address of a host is tried as well (Happy Eyeballs, RFC 8305), ms. */
const NEXT_ADDRESS_MS = 1000;
/** Ads can name hosts with thousands of addresses. */
const MAX_TRIES = 8;

/**
 * Connects to the checked addresses, one after the other, and keeps the first connection that opens. A try goes on while
 * the next ones are made: over a slow line, or where a packet is lost, it takes longer than the pause, and then Node's
 * `autoSelectFamily` has given it up, though the other addresses (IPv6, in many stores) may lead nowhere.
 */
export async function openTcp(
  { hostname, port, addresses }: CheckedTarget,
  signal: AbortSignal,
  schedule: Schedule = timers,
): Promise<Socket> {
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal]);
  const tries: Promise<Socket>[] = [];
  let opened: Socket | null = null;
  const keepFirst = (socket: Socket) => {
    if (opened === null) opened = socket;
    else if (socket !== opened) socket.destroy();
  };
  try {
    for (const { address } of familiesInTurn(addresses).slice(0, MAX_TRIES)) {
      const next = ready(connect({ host: address, port, noDelay: true }), 'connect', end);
      tries.push(next);
      next.then(keepFirst, () => {});
      const settled = () => Promise.race([Promise.any(tries), next]);
      await beforeDeadline(startDeadline(NEXT_ADDRESS_MS, schedule), settled).catch(() => {});
      if (opened !== null || end.aborted) break;
    }
    if (tries.length === 0) throw new Error(`no checked address of ${hostname}`);
    return await Promise.any(tries);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    over.abort();
  }
}

/** Resolves once the socket is open; destroys it and rejects if that fails. */
export async function ready(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<Socket> {
  // Without a listener an error event would end the process; users of the socket see it close.
  socket.on('error', () => {});
  try {
    // TLS over a tunnel may end without an error.
    const closed = once(socket, 'close').then(() => Promise.reject(new Error('the connection was closed')));
    await Promise.race([once(socket, event), closed, rejectOnAbort(signal)]);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** The addresses in their order, but of both families by turns: if one family leads nowhere, the second try helps. */
function familiesInTurn(addresses: readonly LookupAddress[]): readonly LookupAddress[] {
  const seen = new Map<number, number>();
  const ranked = addresses.map((address) => {
    const rank = seen.get(address.family) ?? 0;
    seen.set(address.family, rank + 1);
    return { address, rank };
  });
  return ranked.toSorted((one, other) => one.rank - other.rank).map(({ address }) => address);
}
