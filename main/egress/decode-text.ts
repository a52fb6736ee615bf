/** Bytes within which an XML declaration, with its encoding, has to end. */
const MAX_DECLARATION_BYTES = 200;

/**
 * Decodes a whole body. Its encoding comes from the byte order mark, else from the `Content-Type`, else from
 * the XML declaration, else it is UTF-8. Returns null for an unknown encoding. Bytes that do not fit become
 * U+FFFD: one bad letter in a title is no reason to lose a playlist.
 */
export function decodeText(bytes: Uint8Array, contentType: string | null): string | null {
  const text = new BodyText(contentType);
  text.add(bytes);
  return text.end()?.join('') ?? null;
}

/** UTF-16 code units of a piece, about. */
const PIECE_LENGTH = 1024 * 1024;
/**
 * Bytes that are held back for the next call, so that never only a few are decoded: Node's gb18030 decoder fails
 * on a few bytes after half a character.
 */
const HELD_BACK_BYTES = 32;

/**
 * Decodes a body chunk by chunk, by the rules of `decodeText`. Its pieces are never joined here: joining 64
 * MB at once would block main (rule 31).
 */
export class BodyText {
  readonly #contentType: string | null;
  /** Undefined: not chosen yet; null: the encoding is unknown. */
  #decoder: TextDecoder | null | undefined;
  /** Not yet decoded. */
  #waiting = new Uint8Array();
  readonly #pieces: string[] = [];
  #piece = '';

  constructor(contentType: string | null) {
    this.#contentType = contentType;
  }

  add(bytes: Uint8Array): void {
    if (this.#decoder === null) return;
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    if (this.#waiting.length >= MAX_DECLARATION_BYTES) this.#decode(this.#waiting.length - HELD_BACK_BYTES);
  }

  /** The text in pieces, at least one; null: its encoding is unknown. */
  end(): readonly string[] | null {
    this.#decode(this.#waiting.length);
    return this.#decoder ? [...this.#pieces, this.#piece + this.#decoder.decode()] : null;
  }

  #decode(length: number): void {
    if (this.#decoder === undefined) this.#decoder = decoderOf(this.#waiting, this.#contentType);
    if (!this.#decoder) return;
    this.#piece += this.#decoder.decode(this.#waiting.subarray(0, length), { stream: true });
    this.#waiting = new Uint8Array(this.#waiting.subarray(length));
    if (this.#piece.length < PIECE_LENGTH) return;
    this.#pieces.push(this.#piece);
    this.#piece = '';
  }
}

/** Null: the encoding is unknown. */
function decoderOf(head: Uint8Array, contentType: string | null): TextDecoder | null {
  try {
    return new TextDecoder(
      byteOrderMark(head) ?? contentTypeCharset(contentType) ?? declaredEncoding(head) ?? 'utf-8',
    );
  } catch {
    return null;
  }
}

function byteOrderMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return null;
}

function contentTypeCharset(contentType: string | null): string | null {
  return /;\s*(?:charset\s*=\s*)+["']?([^\s"';]+)/i.exec(contentType ?? '')?.[1] ?? null;
}

function declaredEncoding(bytes: Uint8Array): string | null {
  const start = String.fromCharCode(...bytes.subarray(0, MAX_DECLARATION_BYTES));
  // `readVast` accepts blank lines before it, too.
  const label = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([^"']+)["']/.exec(start)?.[1] ?? null;
  // It was found in ASCII letters, so the body is not in UTF-16. Some servers declare that above UTF-8.
  return label !== null && isUtf16(label) ? null : label;
}

function isUtf16(label: string): boolean {
  try {
    return new TextDecoder(label).encoding.startsWith('utf-16');
  } catch {
    return false;
  }
}

/**
 * The text of an answer's body in pieces, decoded as it comes. Rejects with the error of the
 * body. The connection is closed in any case.
 *
 * @param maxBytes of the body after decompression
 * @param isCut a longer body ends there, instead of being too large
 */
export async function readText(
  response: Response,
  maxBytes: number,
  isCut = false,
): Promise<{ readonly pieces: readonly string[] } | 'too-large' | 'unknown-encoding'> {
  const body = new BodyText(response.headers.get('content-type'));
  let bytes = 0;
  // Not `response.text()`: an endless answer would fill the memory first. Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes && !isCut) return 'too-large';
    body.add(chunk.subarray(0, chunk.byteLength - Math.max(0, bytes - maxBytes)));
    if (bytes > maxBytes) break;
  }
  const pieces = body.end();
  return pieces === null ? 'unknown-encoding' : { pieces };
}

/** Discards a body and closes its connection. */
export function discardBody(response: Response): void {
  // Cancelling a body that has failed rejects; that does not matter.
  response.body?.cancel().catch(() => {});
}
