import { nestsDeeperThan, SERVICE_JSON_DEPTH } from '../reading/json-depth';
import { jsonOf } from '../whole-file';

/** Longest message of a service that is kept, in characters. */
const MAX_LENGTH = 300;

/** Longest body that is searched for a message in main, UTF-16 code units (rule 31). */
export const MAX_BODY = 64 * 1024;

/**
 * The value of a JSON text from the service; null if the text is not JSON, is longer than 64 Ki code units or nests
 * deeper than 64 levels, because parsing it would block main (rule 31).
 */
export function shortJsonOf(body: string): unknown {
  return body.length > MAX_BODY || nestsDeeperThan(SERVICE_JSON_DEPTH, body) ? null : jsonOf(body);
}

/**
 * The service's own message in an error body: a gRPC gateway's `{code, message, details}`, RFC 6749's
 * `{error, error_description}`, or the native API's `{status, error_message}`. One line of at most 300
 * characters without the given secrets. Null: the body has no message, or `shortJsonOf` does not read it.
 * Linear in its length (rule 31). Never throws.
 */
export function serviceMessage(body: string, secrets: readonly string[]): string | null {
  const read = shortJsonOf(body);
  if (typeof read !== 'object' || read === null) return null;
  const field = (name: string): string | null => {
    const value: unknown = Object.hasOwn(read, name) ? Reflect.get(read, name) : null;
    if (typeof value === 'string') return value.trim() === '' ? null : value;
    // Some gateways nest the object: { "error": { "code": …, "message": … } }.
    return typeof value === 'object' &&
      value !== null &&
      'message' in value &&
      typeof value.message === 'string'
      ? value.message
      : null;
  };
  const words = [field('error'), field('error_description'), field('error_message'), field('message')].filter(
    (part) => part !== null,
  );
  return words.length === 0 ? null : scrubbed(words.join(': '), secrets);
}

/** The code in a gRPC gateway's error body, `{code, message, details}`; null: none. Never throws. */
export function rpcCode(body: string): number | null {
  const read = shortJsonOf(body);
  if (typeof read !== 'object' || read === null || !Object.hasOwn(read, 'code')) return null;
  const code: unknown = Reflect.get(read, 'code');
  return typeof code === 'number' ? code : null;
}

/** One printable line of at most 300 characters without the secrets, be they plain or encoded. */
export function scrubbed(text: string, secrets: readonly string[]): string {
  let line = text;
  const shapes = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      new URLSearchParams([['', secret]]).toString().slice(1),
      Buffer.from(secret).toString('base64'),
    ]);
  // Longest first, because replacing a short secret inside a long one would leave the rest of the long one.
  for (const shape of shapes.sort((a, b) => b.length - a.length)) line = line.replaceAll(shape, '[secret]');
  line = line
    .replace(/\bBearer\s+\S+/gi, 'Bearer [secret]')
    .replace(/[\w.-]+/g, withoutToken)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}

/**
 * Replaces a possible JSON Web Token in a word of letters, digits, hyphens and full stops: everything from
 * the first part that begins with `eyJ`. It goes part by part, so that its time is linear in the word's
 * length.
 */
function withoutToken(word: string): string {
  const parts = word.split('.');
  for (const [index, part] of parts.entries()) {
    const isFollowed = (parts[index + 1] ?? '') !== '';
    const at = isFollowed ? part.search(/\beyJ[\w-]/) : -1;
    if (at >= 0) return [...parts.slice(0, index), `${part.slice(0, at)}[secret]`].join('.');
  }
  return word;
}

/** Whether a body is a web page, for example from a captive portal or a proxy. */
export function looksLikeWebPage(body: string): boolean {
  const start = body
    .slice(0, 4096)
    .replace(/^\uFEFF/, '')
    .replace(/^(\s|<\?xml[^>]*>|<!--[\s\S]*?-->)+/, '');
  return /^<(!doctype\s+html|html|head|body|script|meta)\b/i.test(start);
}
