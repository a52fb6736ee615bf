import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Schedule } from '../schedule';
import { openTcp } from './open-tcp';

/** Listens at 127.0.0.1 on a thread that stands still: once its queue is full, packets that ask to connect are lost. */
const STANDS_STILL = `
  const { createServer } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  const server = createServer((socket) => socket.on('error', () => {}));
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(workerData), 0, 0);
  });`;

async function busyServer() {
  const isFree = new SharedArrayBuffer(4);
  const worker = new Worker(STANDS_STILL, { eval: true, workerData: isFree });
  const [port]: number[] = await once(worker, 'message');
  const takesAgain = () => {
    const flag = new Int32Array(isFree);
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  };
  onTestFinished(async () => {
    takesAgain();
    await worker.terminate();
  });
  for (const _each of [1, 2]) {
    const filling = connect({ port: port ?? 0, host: '127.0.0.1' }).on('error', () => {});
    onTestFinished(() => void filling.destroy());
    await once(filling, 'connect');
  }
  return { port: port ?? 0, takesAgain };
}

async function goodServer(port: number, host: string) {
  const server = createServer((socket) => socket.on('error', () => {})).listen(port, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** The first `ended` pauses end at once, the others never. */
function pauses(ended: number) {
  const begun: number[] = [];
  const schedule: Schedule = (ms, run) => {
    begun.push(ms);
    if (begun.length <= ended) queueMicrotask(run);
    return () => {};
  };
  return { begun, schedule };
}

const BUSY = { address: '127.0.0.1', family: 4 };
const OTHER = { address: '127.0.0.2', family: 6 };
const target = (port: number, ...addresses: Array<typeof BUSY>) =>
  ({ ok: true, hostname: 'store.example', port, addresses }) as const;
/** Tries under way in this process, perhaps of other tests too. */
const underWay = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPConnectWrap').length;
const inTime = () => AbortSignal.timeout(60_000);

describe('a host with several addresses', () => {
  test('is reached at the first one although its packets are lost at first, and the others lead nowhere', async () => {
    const { port, takesAgain } = await busyServer();
    // Nothing listens at the other address.
    const opened = openTcp(target(port, BUSY, OTHER), inTime(), pauses(1).schedule);
    // The first packets are lost by then.
    await new Promise(setImmediate);
    takesAgain();
    const socket = await opened;
    onTestFinished(() => void socket.destroy());
    expect(socket.remoteAddress).toBe(BUSY.address);
  });

  test('is reached at the second one after a pause if the first one is silent, whose try then ends', async () => {
    const { port } = await busyServer();
    await goodServer(port, OTHER.address);
    const before = underWay();
    const { begun, schedule } = pauses(1);
    const socket = await openTcp(target(port, BUSY, OTHER), inTime(), schedule);
    onTestFinished(() => void socket.destroy());
    expect([socket.remoteAddress, begun[0]]).toEqual([OTHER.address, 1_000]);
    expect(underWay()).toBe(before);
  });

  test('is tried in both families by turns', async () => {
    const { port } = await busyServer();
    await goodServer(port, OTHER.address);
    const { schedule } = pauses(1);
    const socket = await openTcp(target(port, BUSY, BUSY, BUSY, OTHER), inTime(), schedule);
    onTestFinished(() => void socket.destroy());
    expect(socket.remoteAddress).toBe(OTHER.address);
  });

  test('is tried at the next one at once if one refuses, and the first error is reported if all do', async () => {
    const port = await goodServer(0, OTHER.address);
    const { schedule } = pauses(0);
    const socket = await openTcp(target(port, BUSY, OTHER), inTime(), schedule);
    expect(socket.remoteAddress).toBe(OTHER.address);
    socket.destroy();
    const refused = openTcp(target(port, BUSY, { ...BUSY, address: '127.0.0.3' }), inTime(), schedule);
    await expect(refused).rejects.toMatchObject({ code: 'ECONNREFUSED', address: BUSY.address });
  });

  test('is given up with the reason of its signal, and tried eight times at most', async () => {
    const { port } = await busyServer();
    const warned = vi.spyOn(process, 'emitWarning');
    onTestFinished(() => warned.mockRestore());
    const before = underWay();
    const ending = new AbortController();
    const { begun, schedule } = pauses(100);
    const opened = openTcp(target(port, ...Array.from({ length: 50 }, () => BUSY)), ending.signal, schedule);
    await expect.poll(() => begun.length).toBe(8);
    ending.abort(new Error('too late'));
    await expect(opened).rejects.toThrow('too late');
    expect(underWay()).toBe(before);
    expect(warned).not.toHaveBeenCalled();
  });
});
