import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The built program of the reading worker: beside the built file that asks, or one level up from its chunk. */
export function readingWorkerFile(): string {
  const beside = join(__dirname, 'reading-worker.js');
  return existsSync(beside) ? beside : join(__dirname, '..', 'reading-worker.js');
}
