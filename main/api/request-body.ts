import type { IncomingMessage } from 'node:http';

export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || Number(length ?? 0) > 0;
}

/** Reads a body of at most `maxBytes`; `gone`: the client disconnected. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'too-large' | 'gone'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) done('too-large');
      else chunks.push(chunk);
    };
    const onEnd = () => done(Buffer.concat(chunks));
    const onGone = () => done('gone');
    function done(result: Buffer | 'too-large' | 'gone'): void {
      request.off('data', onData).off('end', onEnd).off('close', onGone);
      resolve(result);
    }
    request.on('data', onData).on('end', onEnd).on('close', onGone);
    request.on('error', onGone);
  });
}

/** Reads and discards the rest of a body, for at most `ms` and about `bytes`. */
export function drained(request: IncomingMessage, ms: number, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    let size = 0;
    const timer = setTimeout(resolve, ms);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bytes) done();
    });
    request.once('end', done).once('close', done).once('error', done);
    request.resume();
  });
}
