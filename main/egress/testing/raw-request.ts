import { connect } from 'node:net';

/** Writes bytes to a loopback port and resolves with all that comes back until it closes. */
export async function sendRawRequest(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.write(bytes);
  await new Promise((resolve) => {
    socket.on('error', () => {});
    socket.once('close', resolve);
  });
  return received;
}
