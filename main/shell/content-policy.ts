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
