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
  let bytes = 0;
  // Not `response.text()`: an endless answer would fill the memory first. Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return 'too-large';
    body.add(chunk);
  }
  const pieces = body.end();
  return pieces === null ? 'unknown-encoding' : { pieces };
}

/** Discards a body and closes its connection. */
export function discardBody(response: Response): void {
  // Cancelling a body that has failed rejects; that does not matter.
  response.body?.cancel().catch(() => {});
}
