import type { OwnAnswer } from '../egress/egress-proxy';
import type { GuestListener } from './js-guests';
import { MRAID } from './mraid';

/**
 * The document of a JavaScript beacon or a banner (rule 17): an origin of its own, in which
 * frames, styles, images and scripts from the web work, code made from text too. The egress
 * policy says where they may come from (rule 22).
 */
const WEB_POLICY = [
  "default-src https: http: data: blob: 'unsafe-inline' 'unsafe-eval'",
  'connect-src https: http: wss: ws: data: blob:',
  "object-src 'none'",
  // Workers would go on without their page.
  "worker-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * A page in the loop is what was verified on disk and nothing else (rule 13): it
 * reaches no network, and looks the same without one.
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
 * Not granted are dialogs, downloads, pointer lock, and leading the document itself elsewhere. A
 * banner's pop-ups are asked for, so that main hears of them, and never opened (rule 18).
 */
const POLICIES: Readonly<Record<GuestKind, string>> = {
  beacon: `sandbox allow-scripts allow-same-origin; ${WEB_POLICY}`,
  banner: `sandbox allow-scripts allow-same-origin allow-forms allow-popups; ${WEB_POLICY}`,
  page: `sandbox allow-scripts; ${PAGE_POLICY}`,
};

export type GuestKind = 'beacon' | 'banner' | 'page';

/**
 * Tells main how it went, and what the page's own policy held. Defined before the
 * beacon runs, so that it cannot be replaced by it. Only the first word of each counts.
 */
const WATCH = `(() => {
  const say = fetch.bind(window);
  const said = new Set();
  const tell = (word, detail, topic = word) => {
    if (said.has(topic)) return;
    said.add(topic);
    say('/report?word=' + word + '&detail=' + encodeURIComponent(String(detail).slice(0, 300)), { mode: 'no-cors' });
  };
  addEventListener('securitypolicyviolation', (event) => tell('held', event.effectiveDirective, 'held'));
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

/** Whether a beacon is markup with scripts in it rather than bare script. */
export function isMarkup(beacon: string): boolean {
  // Script may hold markup in its strings, and may begin with the comment of old pages; markup begins as such.
  if (/^\s*<!--/.test(beacon)) return /<script[\s>]/i.test(beacon);
  return /^\s*</.test(beacon);
}

/** What a guest's own origin answers; its document's reports are told to `listener`. */
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
      // A window of its own would float above the kiosk.
      'permissions-policy': 'picture-in-picture=()',
      'x-content-type-options': 'nosniff',
      // Whom a guest asks need not know its origin.
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
    body: file.body,
  };
}

/** A page may say anything: what is not understood is no good word. */
function hear(listener: GuestListener, word: string | null, detail: string | null): void {
  if (word === 'held') listener.held(`the page's policy: ${detail}`);
  else listener.said(word === 'ran' || word === 'not-loaded' ? word : 'threw', detail);
}

/** A file of the guest's own origin, or null where there is none. A banner is always markup, a page a whole document. */
export function guestFile(
  path: string,
  beacon: string,
  kind: GuestKind,
): { type: string; body: string } | null {
  if (kind === 'page') return path === '/' ? { type: 'text/html; charset=utf-8', body: beacon } : null;
  switch (path) {
    case '/':
      return {
        type: 'text/html; charset=utf-8',
        body: page(
          kind === 'banner' || isMarkup(beacon) ? beacon : '<script src="/beacon.js"></script>',
          kind === 'banner' ? ['/watch.js', '/mraid.js'] : ['/watch.js'],
        ),
      };
    case '/watch.js':
      return { type: 'text/javascript; charset=utf-8', body: WATCH };
    case '/mraid.js':
      return kind === 'banner' ? { type: 'text/javascript; charset=utf-8', body: MRAID } : null;
    case '/beacon.js':
      // A file of its own: a closing script tag inside a bare script ends nothing here.
      return { type: 'text/javascript; charset=utf-8', body: beacon };
    default:
      return null;
  }
}

/** Without a page's usual margin, which would push a banner out of its own size. */
function page(content: string, scripts: readonly string[]): string {
  const loaded = scripts.map((path) => `<script src="${path}"></script>`).join('');
  return `<!doctype html><html><head><meta charset="utf-8"><style>html,body{margin:0;overflow:hidden}</style>${loaded}</head><body>${content}</body></html>`;
}
