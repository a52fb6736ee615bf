import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createWebSocketStream, WebSocketServer } from 'ws';

/** A WebSocket server in front of a broker's TCP port: not every Debian mosquitto supports WebSocket itself. */
export async function websocketRelay(port: number) {
  const asked: string[] = [];
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket, request) => {
    asked.push(`${request.url} ${request.headers['sec-websocket-protocol']}`);
    const [inward, onward] = [createWebSocketStream(socket), connect(port, '127.0.0.1')];
    inward.on('error', () => {}).on('close', () => onward.destroy());
    onward.on('error', () => {}).on('close', () => inward.destroy());
    inward.pipe(onward).pipe(inward);
  });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
