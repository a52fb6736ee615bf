/**
 * Content-Security-Policy of our own pages (rule 21). The kiosk shows verified
 * files and nothing from the network; the records window reaches nothing at all.
 */
export const KIOSK_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' media:",
  'media-src media:',
  // The page fetches pictures to decode them itself: still-picture.ts.
  'connect-src media:',
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const RECORDS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * The kiosk page's content policy, and what Vite needs to replace modules in a running page: scripts and styles in the
 * page, and a socket to its server. Only for `npm run dev`.
 */
export function developmentPolicy(server: string): string {
  return KIOSK_POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'")
    .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
    .replace('connect-src media:', `connect-src media: 'self' ${server.replace(/^http/, 'ws')}`);
}
