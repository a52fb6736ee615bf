/**
 * The bytes of an answer's body, at most `maxBytes`; rejects with what its reading
 * rejects with. However it ends, the body is given up and its connection closed.
 */
export async function readBytes(response: Response, maxBytes: number): Promise<Uint8Array | 'too-large'> {
  if (response.body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    // Not `response.arrayBuffer()`: an endless answer would fill the memory first.
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(chunks, length);
      length += value.byteLength;
      if (length > maxBytes) return 'too-large';
      chunks.push(value);
    }
  } finally {
    giveUp(reader.cancel());
  }
}

/** Throws a body away: its connection is closed at once. For whoever needs the head only. */
export function discardBody(response: Response): void {
  if (response.body !== null) giveUp(response.body.cancel());
}

/** A body that broke off already cannot be cancelled, and need not be. */
const giveUp = (cancelling: Promise<void>) => void cancelling.catch(() => {});
