import { parentPort } from 'node:worker_threads';
import { type FromWorker, inParts, type Part, type ToWorker } from './in-parts';
import { READERS, type ReaderName, readPieces } from './readers';

// The program of the reading worker: one reading at a time, until main ends it.
let pieces: (string | Uint8Array)[] = [];
/** What is left of the result that was sent last. */
let parts: Iterator<Part> | null = null;

const tell = (message: FromWorker) => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'content':
      pieces.push(message.piece);
      return;
    case 'read':
      // A reader that throws, which none may, ends the worker.
      void read(message.reader, message.options);
      return;
    case 'more': {
      // Main requests one part ahead, beyond the last one.
      const next = parts?.next();
      if (!next) return;
      if (!next.done) {
        tell({ kind: 'part', part: next.value });
        return;
      }
      parts = null;
      tell({ kind: 'end' });
    }
  }
});

async function read(name: ReaderName, options: unknown): Promise<void> {
  const content = pieces;
  pieces = [];
  const result = await readPieces(name, content, options);
  const parted = inParts(result, READERS[name].lists);
  parts = parted.parts;
  tell({ kind: 'result', rest: parted.rest });
}
