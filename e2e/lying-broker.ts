import { connect, createServer, type Socket } from 'node:net';
import { listening } from '../tools/fleet/loopback-ports';

/** Sends wrong data to a kiosk that has connected with this version of MQTT: 5, or 4 for 3.1.1. */
export type Lie = (socket: Socket, version: number) => void;

/**
 * Starts a proxy to a good broker that can send wrong data instead.
 *
 * @param onward port of the good broker, on loopback
 */
export async function startLyingBroker(onward: number) {
  const sockets = new Set<Socket>();
  const lies: Lie[] = [];
  const lied: number[] = [];
  let heard = 0;
  const server = createServer((socket) => {
    const next = lies.shift();
    let isLying = false;
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      if (next !== undefined) lied.push(socket.bytesWritten);
    });
    if (next === undefined) {
      pipeOn(socket, onward);
      return;
    }
    let greeting = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      if (isLying) return;
      greeting = Buffer.concat([greeting, chunk]);
      // The version follows the protocol's name (MQTT 5, 3.1.2).
      const version = greeting.includes('MQTT') ? greeting[greeting.indexOf('MQTT') + 4] : undefined;
      if (version === undefined) return;
      isLying = true;
      heard += 1;
      next(socket, version);
    });
  });
  const listener = await listening(server);
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    ...listener,
    /** Number of connections that received a lie. */
    heard: () => heard,
    /** Bytes sent on each of these connections, once it has ended. */
    lied: (): readonly number[] => lied,
    /**
     * Closes all connections. Each new one gets the next lie; after the last lie, connections go to the good
     * broker again.
     */
    lie(more: readonly Lie[]): void {
      lies.push(...more);
      endAll();
    },
    /** Closes all connections, also the one that is being lied to. */
    relent: endAll,
  };
}

function pipeOn(socket: Socket, port: number): void {
  const further = connect(port, '127.0.0.1');
  further.on('error', () => {});
  socket.pipe(further).pipe(socket);
  socket.on('close', () => further.destroy());
  further.on('close', () => socket.destroy());
}

/** CONNACK: the broker accepts the connection (MQTT 5, 3.2). */
export const taken = (version: number) => Buffer.from(version === 5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]);

/** PUBLISH with QoS 0 (MQTT 5, 3.3). */
export function message(version: number, topic: string, payload: string | Buffer, retained = false): Buffer {
  const name = Buffer.alloc(2);
  name.writeUInt16BE(Buffer.byteLength(topic));
  const properties = version === 5 ? [0] : [];
  const body = Buffer.concat([name, Buffer.from(topic), Buffer.from(properties), Buffer.from(payload)]);
  return Buffer.concat([Buffer.from([retained ? 0x31 : 0x30]), lengthOf(body.length), body]);
}

/** A length as MQTT encodes it: seven bits per byte (MQTT 5, 1.5.5). */
export function lengthOf(length: number): Buffer {
  const bytes: number[] = [];
  for (let left = length; bytes.length === 0 || left > 0; left = Math.floor(left / 128))
    bytes.push((left % 128) | (left >= 128 ? 128 : 0));
  return Buffer.from(bytes);
}
