import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { runInspect } from './inspect-command';

// The process of `npm run -s inspect`: plain Node, no Electron, no network.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever read the output (`head`, a closed pager) has seen enough.
  if (error.code !== 'EPIPE') throw error;
});

void runInspect(process.argv.slice(2), {
  readFile: (path) => (path === '-' ? buffer(process.stdin) : readFile(path)),
  now: () => Date.now(),
  columns: process.stdout.columns ?? 100,
}).then(({ exitCode, stdout, stderr }) => {
  process.exitCode = exitCode;
  process.stdout.write(stdout);
  process.stderr.write(stderr);
});
