import { bannerAssets, collectorUrl, impressionScript, impressionUrl, nativeAd } from '../../native-zone';
import type { Attack, AttackContext } from '../attack';

/**
 * The kiosk requests native ads at least once within this time, s, so each attack lasts long enough to be
 * requested.
 */
const SECONDS = 80;

/** Serves native ads that are one banner or script each; the kiosk takes them with its next native request. */
function nativeAds(field: AttackContext, contents: ReadonlyArray<{ html: string } | { js: string }>): void {
  field.service.demo.setNativeAds(
    contents.map((content, number) => {
      const id = `${field.once}-${number}`;
      const seen = impressionUrl(collectorUrl(field.service, id, 'native'));
      return 'html' in content
        ? nativeAd(field.service, id, { assets: bannerAssets(id, content.html), beacons: [seen] })
        : nativeAd(field.service, id, { beacons: [seen, impressionScript(content.js)] });
    }),
  );
}

const quiet = { html: '<body style="background:rgb(130,40,170)"><p style="font-size:90px">hello</p></body>' };
const banner = (script: string) => ({
  html: `<body style="background:rgb(130,40,170)"><p style="font-size:60px">sale</p><script>${script}</script></body>`,
});

const ATTACKS: ReadonlyArray<Omit<Attack, 'seconds' | 'oddPictures'>> = [
  {
    name: 'a banner that asks 1,500 times for the pages of other guests',
    row: 8,
    begin(field) {
      nativeAds(field, [
        banner(
          `for (let i = 0; i < 1500; i++) for (const url of ['guest://page-2/', 'guest://banner-' + (i % 9) + '/', 'http://page-2.localhost/']) fetch(url, { mode: 'no-cors' }).catch(() => {});`,
        ),
        quiet,
        quiet,
      ]);
    },
  },
  {
    name: 'a flood of requests for a guest that nobody is',
    row: 9,
    begin(field) {
      const flood = `const on = () => { for (let i = 0; i < 200; i++) { fetch('guest://nobody/' + Math.random(), { mode: 'no-cors' }).catch(() => {}); fetch('http://nobody.localhost/' + Math.random(), { mode: 'no-cors' }).catch(() => {}); } setTimeout(on); }; on();`;
      nativeAds(field, [banner(flood), { js: flood }, quiet]);
    },
  },
  {
    name: 'a mark in the cache that the next ad looks for',
    row: 17,
    begin(field) {
      const { service } = field;
      let marks = 0;
      const told: string[] = [];
      const found = new Set<string>();
      service.answerAt('/hostile/mark.js', ({ headers }, response) => {
        marks += 1;
        if (headers['if-none-match'] !== undefined)
          told.push('an ad was asked for the mark that another one got');
        response.writeHead(200, {
          'content-type': 'text/javascript',
          'cache-control': 'public, max-age=31536000',
          'access-control-allow-origin': '*',
          etag: `"${marks}"`,
        });
        response.end(`globalThis.mark = ${marks};`);
      });
      service.answerAt('/hostile/found', ({ query }, response) => {
        const mark = query.get('mark') ?? 'undefined';
        // Each answer carries a new mark, so a mark that is found twice came from another ad's cache.
        if (mark !== 'undefined' && found.has(mark)) told.push(`two ads found the same mark (${mark})`);
        found.add(mark);
        response.writeHead(204).end();
      });
      const look = {
        html: `<body style="background:rgb(130,40,170)"><p style="font-size:60px">sale</p><script src="${service.origin}/hostile/mark.js"></script><script>new Image().src = '${service.origin}/hostile/found?mark=' + globalThis.mark + '&at=' + Math.random()</script></body>`,
      };
      nativeAds(field, [look, look, look]);
      field.judge(() => [...new Set(told)]);
    },
  },
  {
    name: 'banners that loop, eat memory, leave, or draw nothing',
    begin(field) {
      nativeAds(field, [
        banner('for (;;);'),
        banner('const all = []; setInterval(() => all.push(new Uint8Array(64 << 20).fill(1)), 5)'),
        banner(
          `setInterval(() => { open('${field.service.origin}/'); top.location = 'about:blank'; location = 'https://example.com/'; }, 50)`,
        ),
        { html: '' },
        { html: '<iframe srcdoc="x"></iframe>'.repeat(3_000) },
        quiet,
      ]);
    },
  },
  {
    name: 'script beacons that loop, throw, flood and never end',
    begin(field) {
      nativeAds(field, [
        { js: 'for (;;);' },
        { js: 'throw new Error("x".repeat(1e6))' },
        { js: 'for (;;) console.log("x")' },
        { js: 'const all = []; for (;;) all.push(new Uint8Array(8 << 20).fill(1));' },
        { js: 'const on = () => queueMicrotask(on); on()' },
        {
          js: `setInterval(() => { new Image().src = '${field.service.origin}/collect/x?' + Math.random() })`,
        },
      ]);
    },
  },
  {
    name: 'native ads of assets without end',
    begin(field) {
      const { origin } = field.service;
      const asset = { type: 'title', data: { text: '\u202e'.repeat(2_000) } };
      field.service.demo.setNativeAds([
        {
          link: 'x:'.repeat(9_000),
          assetgroupid: 1e308,
          assets: Array(5_000).fill(asset),
          meta: [],
          beacons: [],
        },
        { link: null, assets: [{ type: 'vast2', data: { vast2: '<VAST>'.repeat(50_000) } }], beacons: 7 },
        {
          assets: [{ type: 'banner', data: { w: 1e9, h: 1e9, url: `${origin}/media/red.png` } }],
          beacons: Array(5_000).fill({ type: 'impression', data: { url: `${origin}/collect/many` } }),
        },
      ]);
    },
  },
];

/** Banners and scripts of native ads (rule 17). */
export const GUESTS = ATTACKS.map((attack): Attack => ({ ...attack, seconds: SECONDS, oddPictures: true }));
