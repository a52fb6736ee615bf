import type { IncomingMessage } from 'node:http';

export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || Number(length ?? 0) > 0;
}

/** Reads a body of at most `maxBytes`; `gone`: the client disconnected. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | 'too-large' | 'gone'> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // The request has to live on after a body that is too large, because its answer is still to be sent.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > maxBytes) return 'too-large';
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    return 'gone';
  }
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
