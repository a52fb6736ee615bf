/**
 * The text of a body. Its encoding is the byte order mark's, else the
 * `Content-Type`'s, else the XML declaration's, else UTF-8; null when that is
 * one nobody knows. Bytes that do not fit become U+FFFD: one bad letter in a
 * title is no reason to lose a playlist.
 */
export function decodeText(bytes: Uint8Array, contentType: string | null): string | null {
  const label = byteOrderMark(bytes) ?? contentTypeCharset(contentType) ?? declaredEncoding(bytes) ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(bytes);
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
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1] ?? null;
}

function declaredEncoding(bytes: Uint8Array): string | null {
  const start = String.fromCharCode(...bytes.subarray(0, 200));
  return /^<\?xml[^>]*\sencoding\s*=\s*["']([^"']+)["']/.exec(start)?.[1] ?? null;
}
