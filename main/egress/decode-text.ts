/** Bytes within which an XML declaration, with its encoding, has to end. */
const DECLARATION_BYTES = 200;

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
 * Fewest bytes that are decoded at once: Node's gb18030 decoder fails on a few bytes after half a character.
 * `WAITING` bytes are always held back for the next call.
 */
const LEAST_DECODED = 64;
const WAITING = LEAST_DECODED / 2;

/**
 * Decodes a body chunk by chunk, by the rules of `decodeText`. Its pieces are never joined here: joining 64
 * MB at once would block main (rule 31).
 */
export class BodyText {
  readonly #contentType: string | null;
  /** The first bytes, until there are enough to find the encoding. */
  #head = new Uint8Array();
  /** Undefined: not chosen yet; null: the encoding is unknown. */
  #decoder: TextDecoder | null | undefined;
  #waiting = new Uint8Array();
  readonly #pieces: string[] = [];
  #piece = '';

  constructor(contentType: string | null) {
    this.#contentType = contentType;
  }

  add(bytes: Uint8Array): void {
    if (this.#decoder !== undefined) {
      this.#decode(bytes);
      return;
    }
    this.#head = this.#head.length === 0 ? bytes.slice() : Buffer.concat([this.#head, bytes]);
    if (this.#head.length >= DECLARATION_BYTES) this.#start();
  }

  /** The text in pieces, at least one; null: its encoding is unknown. */
  end(): readonly string[] | null {
    if (this.#decoder === undefined) this.#start();
    if (!this.#decoder) return null;
    const rest = this.#decoder.decode(this.#waiting, { stream: true }) + this.#decoder.decode();
    return [...this.#pieces, this.#piece + rest];
  }

  #start(): void {
    const head = this.#head;
    this.#head = new Uint8Array();
    const label =
      byteOrderMark(head) ?? contentTypeCharset(this.#contentType) ?? declaredEncoding(head) ?? 'utf-8';
    try {
      this.#decoder = new TextDecoder(label);
    } catch {
      this.#decoder = null;
    }
    this.#decode(head);
  }

  #decode(bytes: Uint8Array): void {
    if (!this.#decoder) return;
    const all = this.#waiting.length === 0 ? bytes : Buffer.concat([this.#waiting, bytes]);
    const end = all.length < LEAST_DECODED ? 0 : all.length - WAITING;
    this.#waiting = new Uint8Array(all.subarray(end));
    if (end === 0) return;
    this.#piece += this.#decoder.decode(all.subarray(0, end), { stream: true });
    if (this.#piece.length < PIECE_LENGTH) return;
    this.#pieces.push(this.#piece);
    this.#piece = '';
  }
}

function byteOrderMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return null;
}

function contentTypeCharset(contentType: string | null): string | null {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1] ?? null;
}

function declaredEncoding(bytes: Uint8Array): string | null {
  const start = String.fromCharCode(...bytes.subarray(0, DECLARATION_BYTES));
  const label = /^<\?xml[^>]*\sencoding\s*=\s*["']([^"']+)["']/.exec(start)?.[1] ?? null;
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
