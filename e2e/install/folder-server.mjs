// Serves a folder on loopback, as a web server would: node folder-server.mjs FOLDER PORT. Says its port.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const [folder = '', port = '0'] = process.argv.slice(2);
const server = createServer((request, response) => {
  const file = join(folder, decodeURIComponent(new URL(request.url ?? '/', 'http://a').pathname));
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-length': found.size, 'last-modified': found.mtime.toUTCString() });
  createReadStream(file).pipe(response);
});
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : '');
});
