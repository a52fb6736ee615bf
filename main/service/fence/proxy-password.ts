import { createHash, timingSafeEqual } from 'node:crypto';

/** The name that goes with every password of an egress proxy. */
export const PROXY_USER = 'guest';

/** Whether a `Proxy-Authorization` header carries this password (Basic scheme, RFC 7617). */
export function hasPassword(header: string | undefined, password: string): boolean {
  const expected = `Basic ${Buffer.from(`${PROXY_USER}:${password}`).toString('base64')}`;
  return timingSafeEqual(digest(header ?? ''), digest(expected));
}

const digest = (text: string) => createHash('sha256').update(text).digest();
