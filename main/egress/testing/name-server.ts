import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';

const TYPES: ReadonlyMap<number, 4 | 6> = new Map([
  [1, 4],
  [28, 6],
]);
const NO_SUCH_NAME = 3;

/**
 * A real name server on 127.0.0.1 over UDP.
 *
 * @param answers a name's address, an IPv6 one with all its eight groups; null: there is no such name; undefined:
 *   silence. An address of the other family: the name has none of this one
 */
export async function nameServer(answers: (name: string, family: 4 | 6) => string | null | undefined) {
  /** Names that were asked for, each time. */
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, question } = questionOf(query);
    asked.push(name);
    const family = TYPES.get(type);
    if (family === undefined) return;
    const address = answers(name, family);
    if (address === undefined) return;
    const bytes = address !== null && isIP(address) === family ? bytesOf(address) : null;
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (address === null ? NO_SUCH_NAME : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(bytes ? 1 : 0, 6);
    const record = bytes
      ? Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes])
      : Buffer.alloc(0);
    socket.send(Buffer.concat([header, question, record]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    /** `address:port` */
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

const bytesOf = (address: string): number[] =>
  isIP(address) === 4
    ? address.split('.').map(Number)
    : [
        ...Buffer.from(
          address
            .split(':')
            .map((group) => group.padStart(4, '0'))
            .join(''),
          'hex',
        ),
      ];

function questionOf(query: Buffer): { name: string; type: number; question: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1),
    question: query.subarray(12, at + 5),
  };
}
