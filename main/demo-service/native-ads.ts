import { framedBanner, mraidBanner, plainBanner } from './native-banners';

/** One native ad as it goes over the wire. */
export interface NativeAd {
  readonly link?: string;
  readonly assetgroupid: number;
  readonly assets: ReadonlyArray<{ readonly type: string; readonly data: unknown }>;
  readonly meta: ReadonlyArray<{ readonly type: string; readonly data: unknown }>;
  readonly beacons: ReadonlyArray<{ readonly type: string; readonly data: unknown }>;
}

/** The origin of an ad's URLs, and the id of this delivery. */
export interface NativeDelivery {
  readonly origin: string;
  readonly instance: string;
}

const PRODUCTS = {
  kiosko: {
    id: 'native-kiosko',
    assetgroupid: 4101,
    title: 'Kiosko Cold Brew',
    description:
      'Twenty hours slow-steeped, never heated. Find it in the cooler by the tills, four flavours.',
    cta: 'See the flavours',
    rating: 4.6,
    revenuemodel: 'cpc',
    points: 120,
    bundleid: null,
  },
  nordhain: {
    id: 'native-nordhain',
    assetgroupid: 4102,
    title: 'Nordhain Oat Drink',
    description:
      'Creamy enough for the barista, light enough for the cereal bowl. Oats from three farms in the north.',
    cta: 'Meet the farms',
    rating: 4.8,
    revenuemodel: 'cpm',
    points: 900,
    bundleid: null,
  },
  basketry: {
    id: 'native-basketry',
    assetgroupid: 4103,
    title: 'Basketry: your list, shared',
    description: 'The shopping list the whole household writes. Scan the code and take your list home.',
    cta: 'Get the app',
    rating: 4.4,
    revenuemodel: 'cpa',
    points: 1500,
    bundleid: 'com.example.basketry',
  },
  volt: {
    id: 'native-volt',
    assetgroupid: 4104,
    title: 'Volt Sparkling',
    description: 'Zero sugar, all spark. Watch how it is made, then find it next to the sandwiches.',
    cta: 'Watch',
    rating: 4.1,
    revenuemodel: 'cpm',
    points: 700,
    bundleid: null,
  },
  papperi: {
    id: 'native-papperi',
    assetgroupid: 4105,
    title: 'Papperi pasta',
    description:
      'Bronze-cut in Gragnano style. Three recipes you can shop for right now, all under twenty minutes.',
    cta: 'Cook tonight',
    rating: 4.7,
    revenuemodel: 'cpc',
    points: 0,
    bundleid: null,
  },
  farms: {
    id: 'native-nordhain-farms',
    assetgroupid: 4106,
    title: 'Nordhain Oat Drink',
    description: 'Three farms, one short list of ingredients. In the dairy aisle, next to the milk.',
    cta: 'Meet the farms',
    rating: 4.8,
    revenuemodel: 'cpm',
    points: 900,
    bundleid: null,
  },
  flavours: {
    id: 'native-kiosko-flavours',
    assetgroupid: 4107,
    title: 'Kiosko Cold Brew',
    description: 'Four flavours, one cold shelf. In the cooler by the tills.',
    cta: 'See the flavours',
    rating: 4.6,
    revenuemodel: 'cpm',
    points: 800,
    bundleid: null,
  },
};
type Product = (typeof PRODUCTS)[keyof typeof PRODUCTS];

const tracking = (path: string, product: Product, { origin, instance }: NativeDelivery, n: number): string =>
  `${origin}/collect/native/${path}?ad=${product.id}&instance=${instance}&n=${n}`;

const impression = (product: Product, delivery: NativeDelivery, n: number) => ({
  type: 'impression',
  data: { url: tracking('impression.gif', product, delivery, n) },
});

const scriptImpression = (product: Product, delivery: NativeDelivery, n: number) => ({
  type: 'impression',
  data: {
    js: `(function () { new Image().src = ${JSON.stringify(tracking('js-impression.gif', product, delivery, n))}; })();`,
  },
});

const markupImpression = (product: Product, delivery: NativeDelivery, n: number) => ({
  type: 'impression',
  data: {
    js: `<div id="m"></div><script>document.getElementById('m').textContent = 'seen'; new Image().src = ${JSON.stringify(tracking('js-impression.gif', product, delivery, n))};</script>`,
  },
});

const click = (product: Product, delivery: NativeDelivery, n: number) => ({
  type: 'click',
  data: { url: tracking('click', product, delivery, n) },
});

const picture = (origin: string, name: string) => `${origin}/media/native-${name}`;

/** The assets every native ad has to carry. */
function coreAssets(product: Product, { origin }: NativeDelivery, artwork: string): NativeAd['assets'] {
  return [
    { type: 'icon', data: { w: 256, h: 256, url: picture(origin, `${artwork}-icon.png`) } },
    { type: 'banner', data: { w: 1200, h: 627, url: picture(origin, `${artwork}-banner.jpg`) } },
    { type: 'title', data: { text: product.title } },
    { type: 'description', data: { text: product.description } },
    { type: 'rating', data: { number: product.rating } },
    { type: 'cta', data: { text: product.cta } },
  ];
}

function allMeta(product: Product, { origin }: NativeDelivery): NativeAd['meta'] {
  return [
    { type: 'points', data: { number: product.points } },
    { type: 'revenuemodel', data: { text: product.revenuemodel } },
    { type: 'campaignid', data: { text: `${product.assetgroupid}0` } },
    { type: 'creativeid', data: {} },
    { type: 'bundleid', data: product.bundleid === null ? {} : { text: product.bundleid } },
    {
      type: 'contentinfo',
      data: {
        link: `${origin}/landing/about-this-ad`,
        icon: picture(origin, 'contentinfo.png'),
        text: 'Why this ad?',
      },
    },
  ];
}

/** The ad's number and meta data, and a beacon of each kind. */
const usual = (product: Product, delivery: NativeDelivery) => ({
  assetgroupid: product.assetgroupid,
  meta: allMeta(product, delivery),
  beacons: [impression(product, delivery, 0), click(product, delivery, 0)],
});

/**
 * An ad with a banner of markup, and with pictures as fallback. `banner` gets the service's origin and the
 * URL of a tracking pixel.
 */
function bannerAd(
  product: Product,
  artwork: 'kiosko' | 'nordhain',
  banner: (origin: string, pixel: string) => string,
  delivery: NativeDelivery,
): NativeAd {
  const html = banner(delivery.origin, tracking('markup.gif', product, delivery, 0));
  return {
    link: `${delivery.origin}/landing/${artwork}`,
    ...usual(product, delivery),
    assets: [
      ...coreAssets(product, delivery, artwork),
      { type: 'htmlbanner', data: { w: 320, h: 480, html } },
    ],
  };
}

/** Everything the demo's native zone can serve. Each entry shows a different corner of the format. */
export const NATIVE_ADS: ReadonlyArray<{
  readonly format: 'native' | 'html' | 'banner' | 'vast';
  readonly build: (delivery: NativeDelivery) => NativeAd;
}> = [
  {
    format: 'native',
    build: (delivery) => ({
      link: `${delivery.origin}/landing/kiosko`,
      ...usual(PRODUCTS.kiosko, delivery),
      assets: coreAssets(PRODUCTS.kiosko, delivery, 'kiosko'),
    }),
  },
  {
    // Several beacons of each kind, a script among them.
    format: 'native',
    build: (delivery) => ({
      link: `${delivery.origin}/go/nordhain`,
      ...usual(PRODUCTS.nordhain, delivery),
      assets: coreAssets(PRODUCTS.nordhain, delivery, 'nordhain'),
      beacons: [
        impression(PRODUCTS.nordhain, delivery, 0),
        impression(PRODUCTS.nordhain, delivery, 1),
        scriptImpression(PRODUCTS.nordhain, delivery, 2),
        click(PRODUCTS.nordhain, delivery, 0),
        click(PRODUCTS.nordhain, delivery, 1),
      ],
    }),
  },
  {
    // App promotion: an app's own scheme with a fallback, markup as the script beacon.
    format: 'native',
    build: (delivery) => ({
      link: `market://details?id=com.example.basketry&fallback=${encodeURIComponent(`${delivery.origin}/go/basketry`)}`,
      ...usual(PRODUCTS.basketry, delivery),
      assets: coreAssets(PRODUCTS.basketry, delivery, 'basketry'),
      beacons: [
        impression(PRODUCTS.basketry, delivery, 0),
        markupImpression(PRODUCTS.basketry, delivery, 1),
        click(PRODUCTS.basketry, delivery, 0),
      ],
    }),
  },
  {
    format: 'html',
    build: (delivery) => ({
      link: `${delivery.origin}/landing/papperi`,
      ...usual(PRODUCTS.papperi, delivery),
      assets: [
        ...coreAssets(PRODUCTS.papperi, delivery, 'papperi'),
        { type: 'htmlbanner', data: { w: 320, h: 480, html: plainBanner(delivery.origin) } },
      ],
    }),
  },
  {
    // A frame, an external style sheet, and a cookie.
    format: 'html',
    build: (delivery) => bannerAd(PRODUCTS.farms, 'nordhain', framedBanner, delivery),
  },
  {
    format: 'html',
    build: (delivery) => bannerAd(PRODUCTS.flavours, 'kiosko', mraidBanner, delivery),
  },
  {
    format: 'banner',
    build: (delivery) => ({
      link: `${delivery.origin}/landing/papperi`,
      ...usual(PRODUCTS.papperi, delivery),
      assetgroupid: PRODUCTS.papperi.assetgroupid + 100,
      assets: [
        {
          type: 'standardbanner',
          data: { w: 1200, h: 627, url: picture(delivery.origin, 'papperi-banner.jpg') },
        },
      ],
    }),
  },
  {
    format: 'vast',
    build: (delivery) => ({
      ...usual(PRODUCTS.volt, delivery),
      assets: [
        { type: 'title', data: { text: PRODUCTS.volt.title } },
        { type: 'vast2', data: { vast2: vast2(delivery) } },
      ],
    }),
  },
];

function vast2(delivery: NativeDelivery): string {
  const url = (event: string) => `<![CDATA[${tracking(`vast/${event}`, PRODUCTS.volt, delivery, 0)}]]>`;
  const media = `${delivery.origin}/media/volt-landscape.mp4`;
  return `<VAST version="2.0"><Ad id="${PRODUCTS.volt.id}"><InLine><AdSystem>Endcap demo service</AdSystem><AdTitle>Volt Sparkling</AdTitle><Error>${url('error')}</Error><Impression>${url('impression')}</Impression><Creatives><Creative><Linear><Duration>00:00:06</Duration><TrackingEvents>${[
    'start',
    'firstQuartile',
    'midpoint',
    'thirdQuartile',
    'complete',
  ]
    .map((event) => `<Tracking event="${event}">${url(event)}</Tracking>`)
    .join(
      '',
    )}</TrackingEvents><VideoClicks><ClickThrough><![CDATA[${delivery.origin}/landing/volt]]></ClickThrough><ClickTracking>${url('click')}</ClickTracking></VideoClicks><MediaFiles><MediaFile delivery="progressive" type="video/mp4" width="1280" height="720" bitrate="720"><![CDATA[${media}]]></MediaFile></MediaFiles></Linear></Creative></Creatives></InLine></Ad></VAST>`;
}
