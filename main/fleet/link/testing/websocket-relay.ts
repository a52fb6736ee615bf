import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The GUID of the handshake (RFC 6455, 1.3). */
const MAGIC = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** A WebSocket server in front of a broker's TCP port: not every Debian mosquitto supports WebSocket itself. */
export async function websocketRelay(
  port: number,
): Promise<{ port: number; asked: string[] } & AsyncDisposable> {
  const asked: string[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer();
  server.on('upgrade', (request, socket: Socket) => {
    asked.push(`${request.url} ${request.headers['sec-websocket-protocol']}`);
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}${MAGIC}`)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n`,
    );
    const onward = connect(port, '127.0.0.1');
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on('error', () => {});
    }
    let waiting = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      waiting = Buffer.concat([waiting, chunk]);
      for (let frame = firstFrame(waiting); frame !== null; frame = firstFrame(waiting)) {
        waiting = waiting.subarray(frame.length);
        if (frame.isBinary) onward.write(frame.content);
      }
    });
    onward.on('data', (chunk) => socket.write(Buffer.concat([headerOf(chunk.length), chunk])));
    onward.on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Parses the first masked frame, as clients send them (RFC 6455, 5.2); null: it is incomplete. */
function firstFrame(bytes: Buffer): { length: number; isBinary: boolean; content: Buffer } | null {
  if (bytes.length < 2) return null;
  const short = (bytes[1] ?? 0) & 0x7f;
  const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
  const head = 2 + extended + 4;
  if (bytes.length < head) return null;
  const size = extended === 0 ? short : bytes.readUIntBE(extended === 2 ? 2 : 4, extended === 2 ? 2 : 6);
  if (bytes.length < head + size) return null;
  const mask = bytes.subarray(head - 4, head);
  const content = Buffer.from(bytes.subarray(head, head + size));
  for (const [at, byte] of content.entries()) content[at] = byte ^ (mask[at % 4] ?? 0);
  const opcode = (bytes[0] ?? 0) & 0x0f;
  return { length: head + size, isBinary: opcode === 2 || opcode === 0, content };
}

function headerOf(length: number): Buffer {
  if (length < 126) return Buffer.from([0x82, length]);
  const header = Buffer.alloc(10);
  header.set([0x82, 127]);
  header.writeUIntBE(length, 4, 6);
  return header;
}
