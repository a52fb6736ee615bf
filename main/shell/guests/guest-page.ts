import type { GuestListener } from '../../beacons/js-guests';
import type { OwnAnswer } from '../../egress/pass-through';
import { MRAID } from './mraid';

/**
 * Policy for JavaScript beacons and banners (rule 17): the document has an origin of its own and may use
 * frames, styles, images and scripts from the web, `eval` included. The egress policy decides which addresses
 * it reaches (rule 22).
 */
const WEB_POLICY = [
  "default-src https: http: data: blob: 'unsafe-inline' 'unsafe-eval'",
  'connect-src https: http: wss: ws: data: blob:',
  "object-src 'none'",
  // Workers could go on without their page.
  "worker-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * Policy for pages: a page consists only of the file that was checked on disk (rule 13). It has no network
 * access, so it looks the same without one.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  'media-src data: blob:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * Dialogs, downloads and pointer lock stay forbidden. A tapped banner may ask for pop-ups, and its frames for
 * another page in its place, so that main is notified; main opens and loads neither (rule 18).
 */
const POLICIES: Readonly<Record<GuestKind, string>> = {
  beacon: `sandbox allow-scripts allow-same-origin; ${WEB_POLICY}`,
  banner: `sandbox allow-scripts allow-same-origin allow-forms allow-popups allow-top-navigation-by-user-activation; ${WEB_POLICY}`,
  page: `sandbox allow-scripts allow-same-origin; ${PAGE_POLICY}`,
};

export type GuestKind = 'beacon' | 'banner' | 'page';

/**
 * Script that reports to main how the beacon ran and what the page's policy blocked. It is loaded before the
 * beacon, so the beacon cannot replace it. Each kind of report is sent only once.
 */
const WATCH = `(() => {
  const say = fetch.bind(window);
  const said = new Set();
  const tell = (word, detail, topic = word) => {
    if (said.has(topic)) return;
    said.add(topic);
    say('/report?word=' + word + '&detail=' + encodeURIComponent(String(detail).slice(0, 300)), { mode: 'no-cors' });
  };
  addEventListener('securitypolicyviolation', (event) => tell('blocked', event.effectiveDirective, 'blocked'));
  // A picture that does not load is not an error of the script.
  addEventListener('error', (event) => {
    const { target } = event;
    if (target !== window && target.tagName !== 'SCRIPT') return;
    if (event.message) tell('threw', event.message);
    else tell('not-loaded', 'a script could not be loaded');
  }, true);
  addEventListener('unhandledrejection', (event) => tell('threw', event.reason));
  addEventListener('load', () => tell('ran', ''));
})();`;

/** Whether a beacon is markup, or only a script. */
export function isMarkup(beacon: string): boolean {
  // A script may contain markup in its strings, and may begin with the `<!--` of old pages. Markup begins with `<`.
  if (/^\s*<!--/.test(beacon) && /<script[\s>]/i.test(beacon)) return true;
  return /^\s*<(?!!--)/.test(beacon.replace(/^(?:\s*<!--[\s\S]*?-->)+/, ''));
}

/** Answers a request to a guest's own origin; reports of its document go to `listener`. */
export function guestAnswer(
  { pathname, searchParams }: URL,
  kind: GuestKind,
  content: string,
  listener: GuestListener,
): OwnAnswer {
  if (pathname === '/report' && kind !== 'page') {
    hear(listener, searchParams.get('word'), searchParams.get('detail') || null);
    return { status: 204, headers: {}, body: null };
  }
  const file = guestFile(pathname, content, kind);
  if (!file) return { status: 404, headers: { 'content-length': '0' }, body: null };
  return {
    status: 200,
    headers: {
      'content-type': file.type,
      'content-security-policy': POLICIES[kind],
      'x-content-type-options': 'nosniff',
      // The servers that a guest contacts need not know its origin.
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
    body: file.body,
  };
}

/** A page may send any word: an unknown one counts as `threw`. */
function hear(listener: GuestListener, word: string | null, detail: string | null): void {
  if (word === 'blocked') listener.blocked(`the page's policy: ${detail}`);
  else listener.reported(word === 'ran' || word === 'not-loaded' ? word : 'threw', detail);
}

/** A file of the guest's own origin; null: none. A banner is always markup, a page always a whole document. */
export function guestFile(
  path: string,
  content: string,
  kind: GuestKind,
): { type: string; body: string } | null {
  if (kind === 'page') return path === '/' ? { type: 'text/html; charset=utf-8', body: content } : null;
  switch (path) {
    case '/':
      return {
        type: 'text/html; charset=utf-8',
        body: page(
          kind === 'banner' || isMarkup(content) ? content : '<script src="/beacon.js"></script>',
          kind === 'banner' ? ['/watch.js', '/mraid.js'] : ['/watch.js'],
        ),
      };
    case '/watch.js':
      return { type: 'text/javascript; charset=utf-8', body: WATCH };
    case '/mraid.js':
      return kind === 'banner' ? { type: 'text/javascript; charset=utf-8', body: MRAID } : null;
    case '/beacon.js':
      // A separate file, so that a closing script tag in the script does not end it.
      return { type: 'text/javascript; charset=utf-8', body: content };
    default:
      return null;
  }
}

/** Removes the default margin, which would push a banner out of its size. */
function page(content: string, scripts: readonly string[]): string {
  const loaded = scripts.map((path) => `<script src="${path}"></script>`).join('');
  return `<!doctype html><html><head><meta charset="utf-8"><style>html,body{margin:0;overflow:hidden}</style>${loaded}</head><body>${content}</body></html>`;
}
