import { BodyText } from './decode-text';

/**
 * The text of an answer's body in pieces, decoded as it comes. Rejects with the error of the
 * body. The connection is closed in any case.
 *
 * @param maxBytes of the body after decompression
 */
export async function readText(
  response: Response,
  maxBytes: number,
): Promise<{ readonly pieces: readonly string[] } | 'too-large' | 'unknown-encoding'> {
  const body = new BodyText(response.headers.get('content-type'));
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  let bytes = 0;
  try {
    // Not `response.text()`: an endless answer would fill the memory first.
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) break;
      bytes += value.byteLength;
      if (bytes > maxBytes) return 'too-large';
      body.add(value);
    }
  } finally {
    if (reader) giveUp(reader.cancel());
  }
  const pieces = body.end();
  return pieces === null ? 'unknown-encoding' : { pieces };
}

/** Discards a body and closes its connection. */
export function discardBody(response: Response): void {
  if (response.body !== null) giveUp(response.body.cancel());
}

/** Cancelling a body that has failed rejects; that does not matter. */
const giveUp = (cancelling: Promise<void>) => void cancelling.catch(() => {});
