// What the local API is compared with: a server on loopback that reads a body and says 204.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    response.writeHead(204);
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) process.stdout.write(`${address.port}\n`);
});
