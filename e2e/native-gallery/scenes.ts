import type { LinkFrame } from '../../shared/link';
import type { NativeCardContent } from '../../shared/native';
import type { Announcement } from '../../shared/stage';
import { qrRows } from '../qr-rows';

/** One scene of the gallery. Plain values only, because it is passed to the page. */
export type Scene =
  | { readonly kind: 'announcement'; readonly announcement: Announcement }
  | { readonly kind: 'card'; readonly content: NativeCardContent; readonly language: string }
  | { readonly kind: 'link'; readonly frame: LinkFrame };

const creative = (name: string) => `/creatives/native-${name}`;
const words = (text: string) => ({ kind: 'text' as const, text });
const about = { text: 'Why this ad?', icon: creative('contentinfo.png'), tappable: true };

const NOTHING: NativeCardContent = {
  instance: 'gallery/0',
  picture: null,
  icon: null,
  title: null,
  description: null,
  rating: null,
  callToAction: null,
  contentInfo: null,
};

const KIOSKO: NativeCardContent = {
  ...NOTHING,
  picture: { kind: 'image', url: creative('kiosko-banner.jpg'), width: 1200, height: 627 },
  icon: creative('kiosko-icon.png'),
  title: 'Kiosko Cold Brew',
  description: 'Twenty hours slow-steeped, never heated. Find it in the cooler by the tills, four flavours.',
  rating: 4.6,
  callToAction: words('See the flavours'),
  contentInfo: about,
};

const LONG = 'The unreasonably long-winded weekend special offer that nobody in marketing dared to shorten ';
/** Words of many scripts and lengths, and one direction among the other. */
const MIXED = [
  'Kaffeespezialitäten of the weekend: 50%',
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
  'عروض الأسبوع',
  'W'.repeat(36),
  'מבצע',
  '新鮮な野菜と果物が毎日届きます',
  'Ελλάδα 👩‍👩‍👧‍👦🎉',
  'https://example.com/a/very/long/path?with=query&and=more',
].join(' ');

/** The narrowest and the flattest picture. */
const SLIVER = { kind: 'html', width: 20, height: 3_000 } as const;
const RIBBON = { kind: 'video', width: 3_000, height: 20 } as const;

/** No icon, words or rating. */
const BARE = { icon: null, title: null, description: null, rating: null } as const;

const card = (content: Partial<NativeCardContent>, language = 'en'): Scene => ({
  kind: 'card',
  content: { ...KIOSKO, ...content },
  language,
});

/** A page of the link view, open and without a keyboard by default. */
const link = (url: string, frame: Partial<Extract<LinkFrame, { kind: 'page' }>>): Scene => ({
  kind: 'link',
  frame: { kind: 'page', url, state: 'open', keyboard: null, secondsLeft: 48, language: 'en', ...frame },
});
const ORDER = 'https://kiosko.example/order';
const LIST = 'https://basketry.example/get?from=kiosk';

/** Every shape of native ad, by name. */
export const SCENES: Readonly<Record<string, Scene>> = {
  full: card({}),
  nordhain: card({
    picture: { kind: 'image', url: creative('nordhain-banner.jpg'), width: 1200, height: 627 },
    icon: creative('nordhain-icon.png'),
    title: 'Nordhain Oat Drink: oats from three farms in the north',
    description:
      'Creamy enough for the barista, light enough for the cereal bowl. Oats from three farms in the north.',
    rating: 3.5,
    callToAction: words('Meet the farms'),
  }),
  german: card(
    {
      picture: { kind: 'image', url: creative('basketry-banner.jpg'), width: 1200, height: 627 },
      icon: creative('basketry-icon.png'),
      title: 'Einkaufslistengemeinschaft für Mehrgenerationenhaushalte',
      description: 'Die Einkaufsliste, an der alle im Haushalt schreiben. Code scannen und mitnehmen.',
      rating: 4,
      callToAction: { kind: 'default' },
      contentInfo: { text: null, icon: null, tappable: true },
    },
    'de',
  ),
  long: card({
    title: LONG.repeat(4),
    description: LONG.repeat(12),
    callToAction: words('Discover the whole unreasonably long-winded range of flavours now'),
    contentInfo: { ...about, text: LONG },
  }),
  unbroken: card({
    title: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
    description: 'W'.repeat(400),
    callToAction: words('M'.repeat(80)),
  }),
  arabic: card({
    picture: { kind: 'image', url: creative('papperi-banner.jpg'), width: 1200, height: 627 },
    icon: creative('papperi-icon.png'),
    title: 'معكرونة طازجة لكل مساء',
    description: 'ثلاث وصفات جاهزة في أقل من عشرين دقيقة، وكل مكوناتها هنا في هذا المتجر.',
    rating: 3.5,
    callToAction: words('اطبخ الليلة'),
    contentInfo: { ...about, text: 'لماذا هذا الإعلان؟' },
  }),
  tall: card({ picture: { kind: 'html', width: 320, height: 480 } }),
  square: card({ picture: { kind: 'html', width: 300, height: 250 }, rating: null }),
  strip: card({ picture: { kind: 'html', width: 728, height: 90 } }),
  video: card({
    picture: { kind: 'video', width: 1280, height: 720 },
    icon: null,
    rating: null,
    title: 'Volt Sparkling',
    description: null,
    callToAction: words('Watch'),
  }),
  'video-long': card({
    picture: { kind: 'video', width: 1280, height: 720 },
    title: LONG.repeat(4),
    description: LONG.repeat(12),
  }),
  'strip-arabic': card({
    picture: { kind: 'html', width: 728, height: 90 },
    title: 'معكرونة طازجة لكل مساء',
    description: 'ثلاث وصفات جاهزة في أقل من عشرين دقيقة، وكل مكوناتها هنا في هذا المتجر.',
    callToAction: words('اطبخ الليلة'),
    contentInfo: { ...about, text: 'لماذا هذا الإعلان؟' },
  }),
  'description-long': card({ ...BARE, picture: null, description: LONG.repeat(12) }),
  banner: card({
    ...BARE,
    picture: { kind: 'image', url: creative('papperi-banner.jpg'), width: 1200, height: 627 },
    callToAction: { kind: 'default' },
  }),
  'banner-still': card({ ...BARE, callToAction: null, contentInfo: null }),
  'words-only': card({ picture: null, contentInfo: { ...about, icon: null } }),
  'words-long': card({ picture: null, title: LONG.repeat(2).trim(), description: LONG.repeat(4) }),
  'title-only': card({ ...NOTHING, title: KIOSKO.title }),
  'description-only': card({ picture: null, icon: null, rating: null, title: null }),
  'mixed-words': card({
    picture: { kind: 'image', url: creative('nordhain-banner.jpg'), width: null, height: null },
    title: MIXED,
    description: MIXED.repeat(4),
    callToAction: words(MIXED),
    contentInfo: { text: MIXED, icon: null, tappable: false },
  }),
  'mixed-words-only': card({ picture: null, title: `عروض ${MIXED}`, callToAction: words(MIXED) }),
  'icon-and-description': card({ picture: null, title: null, rating: null, contentInfo: null }),
  sliver: card(
    { picture: SLIVER, title: MIXED, description: MIXED.repeat(4), callToAction: { kind: 'default' } },
    'de',
  ),
  'sliver-and-rating': card({ ...BARE, picture: SLIVER, rating: 0.1 }),
  ribbon: card({ picture: RIBBON, title: null, description: MIXED, callToAction: null }),
  'ribbon-and-icon': card({ ...BARE, picture: RIBBON, icon: KIOSKO.icon, callToAction: words(MIXED) }),
  broken: card({
    picture: { kind: 'image', url: '/creatives/nowhere.jpg', width: 1200, height: 627 },
    icon: '/creatives/nowhere.png',
    contentInfo: { ...about, icon: '/creatives/nowhere.png' },
  }),
  'link-loading': link('https://www.kiosko.example/flavours', { state: 'loading' }),
  'link-open': link('https://offers.this-week.nordhain-oat-drinks-of-the-north.example/farms', {
    secondsLeft: 9,
    language: 'de',
  }),
  'link-keyboard': link(ORDER, { keyboard: 'text', secondsLeft: 9, language: 'de' }),
  'link-email': link(ORDER, { keyboard: 'email' }),
  'link-digits': link(ORDER, { keyboard: 'number' }),
  'link-failed': link('https://kiosko.example/', { state: 'failed' }),
  qr: {
    kind: 'link',
    frame: {
      kind: 'code',
      target: LIST,
      title: 'Basketry: your list, shared',
      secondsLeft: 12,
      language: 'en',
      rows: qrRows(LIST),
      keyboard: null,
    },
  },
};
