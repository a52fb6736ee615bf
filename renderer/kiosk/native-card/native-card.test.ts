import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LinkFrame } from '../../../shared/link';
import { CARD_PICTURES, CARD_WORDS, type NativeCardContent } from '../../../shared/native';
import { pictureRatio, pictureShape, titleSize, USUAL_RATIO } from './card-shape';
import { decodedCard } from './decoded-card';
import { LinkView } from './link-view';
import { NativeCard } from './native-card';
import { qrPicture } from './qr-code';
import { shownDomain, stringsFor } from './strings';

const CONTENT: NativeCardContent = {
  instance: 'x/0',
  picture: { kind: 'image', url: 'media://cache/banner', width: 1200, height: 627 },
  icon: 'media://cache/icon',
  title: 'Coffee <b>',
  description: 'Slow-steeped',
  rating: 4.3,
  callToAction: { kind: 'default' },
  contentInfo: { text: null, icon: null, tappable: true },
};
const SHOWN = { onTap: () => {}, pixels: null, framed: null, isLeaving: false };
const drawn = (content: Partial<NativeCardContent>, language = 'en') =>
  renderToStaticMarkup(
    createElement(NativeCard, { content: { ...CONTENT, ...content }, language, ...SHOWN }),
  );

describe('the card', () => {
  test('uses the shopper’s language', () => {
    expect(drawn({})).toContain('Learn more');
    expect(drawn({}, 'de-AT')).toContain('Mehr erfahren');
    expect(drawn({}, 'de')).toContain('aria-label="4,3 von 5 Sternen"');
    expect(drawn({})).toContain('aria-label="4.3 out of 5 stars"');
    expect(drawn({}, 'de')).toContain('>Anzeige<');
  });

  test('shows an ad’s texts as plain text', () => {
    expect(drawn({})).toContain('Coffee &lt;b&gt;');
  });

  test.each([...CARD_WORDS, ...CARD_PICTURES])('draws the asset %s', (name) => {
    expect(drawn({ [name]: null })).not.toBe(drawn({}));
  });

  test('has no style but the shape of its picture, which React sets by script: the page’s policy refuses others', () => {
    for (const picture of [CONTENT.picture, { kind: 'html', width: 320, height: 480 } as const, null]) {
      expect(drawn({ picture }).replace(/ style="--ratio:[\d.]+"/, '')).not.toContain('style=');
    }
  });

  test('omits missing parts of the ad', () => {
    const bare = drawn({
      picture: null,
      icon: null,
      description: null,
      rating: null,
      callToAction: null,
      contentInfo: null,
    });
    expect(bare).not.toMatch(/<img|<button|<svg|native-description|native-frame/);
  });

  test('keys reach none of its buttons: no key is a click on an ad', () => {
    const buttons = drawn({}).match(/<button[^>]*>/g) ?? [];
    expect(buttons).toHaveLength(2);
    for (const button of buttons) expect(button).toContain('tabindex="-1"');
  });

  test('does not mention points', () => {
    expect(drawn({})).not.toMatch(/point/i);
  });
});

describe('the shape of a picture', () => {
  const image = (width: number | null, height: number | null) =>
    ({ kind: 'image', url: 'media://cache/x', width, height }) as const;
  test.each([
    [null, 'none', USUAL_RATIO],
    [image(1200, 627), 'wide', 1200 / 627],
    [image(null, null), 'wide', USUAL_RATIO],
    [image(300, null), 'wide', USUAL_RATIO],
    [image(500, 500), 'square', 1],
    [image(300, 250), 'square', 1.2],
    [image(320, 480), 'tall', 2 / 3],
    [image(728, 90), 'strip', 728 / 90],
    [image(3000, 20), 'strip', 10],
    [image(20, 3000), 'tall', 0.2],
  ] as const)('%j is %s', (picture, shape, ratio) => {
    expect(pictureShape(picture)).toBe(shape);
    expect(pictureRatio(picture)).toBe(ratio);
  });
});

test.each([
  ['Kiosko Cold Brew', 'large'],
  ['Mehrgenerationen', 'medium'],
  // One word: a line may not end inside it.
  ['Nur 1\u202f299\u202f000,00\u00a0€', 'medium'],
  ['Oat drink from three farms in the north', 'medium'],
  ['Einkaufslistengemeinschaft', 'small'],
  ['A title that goes on and on until nobody in the store remembers where it began', 'small'],
] as const)('the title %j is set %s', (title, size) => {
  expect(titleSize(title)).toBe(size);
});

test.each([
  [0, 0],
  [0.2, 0],
  [0.25, 12],
  [3.5, 96],
  [4.3, 124],
  [4.6, 124],
  [4.8, 140],
  [5, 140],
])('the stars of a rating of %d are filled for %d units, in half steps', (rating, width) => {
  expect(drawn({ rating })).toContain(`<svg width="${width}"`);
});

test('a rating uses the number format of the language', () => {
  expect(drawn({ rating: 4 })).toContain('>4.0</span>');
  expect(drawn({ rating: 4.55 }, 'de')).toContain('>4,6</span>');
});

test.each([
  ['en', 'Back'],
  ['de', 'Zurück'],
  ['de-CH', 'Zurück'],
  ['DE', 'Zurück'],
  ['tlh', 'Back'],
  ['constructor', 'Back'],
])('the Back button in %s is %s', (language, words) => {
  expect(stringsFor(language).back).toBe(words);
});

test.each([
  ['https://www.shop.example/a?b', 'shop.example'],
  ['https://user:pass@shop.example:8443/', 'shop.example'],
  ['https://www.example', 'www.example'],
  ['https://xn--bcher-kva.example/', 'xn--bcher-kva.example'],
  ['market://details', null],
  ['nonsense', null],
])('of %s the domain %s is shown', (url, domain) => {
  expect(shownDomain(url)).toBe(domain);
});

test('a code is drawn as one rectangle for each run of dark modules', () => {
  expect(qrPicture(['110', '000', '011'])).toEqual({ size: 3, path: 'M0 0h2v1h-2zM1 2h2v1h-2z' });
});

describe('a prepared card', () => {
  beforeEach(() => void vi.stubGlobal('document', { fonts: { load: async () => [] } }));
  afterEach(() => vi.unstubAllGlobals());
  const decode = (broken: readonly string[]) => async (url: string) =>
    broken.includes(url) ? null : { width: 1200, height: 627 };

  test('is unchanged if every picture can be drawn', async () => {
    expect(await decodedCard(CONTENT, decode([]))).toEqual(CONTENT);
  });

  test('has the shape of its picture, which may be another than the service states', async () => {
    const picture = { kind: 'image', url: 'media://cache/banner', width: 300, height: 250 } as const;
    expect(await decodedCard({ ...CONTENT, picture }, decode([]))).toEqual(CONTENT);
  });

  test('loses only the pictures that cannot be drawn', async () => {
    const ready = await decodedCard(CONTENT, decode(['media://cache/banner', 'media://cache/icon']));
    expect(ready).toEqual({ ...CONTENT, picture: null, icon: null });
  });

  test('keeps the empty frame of a guest', async () => {
    const picture = { kind: 'html', width: 320, height: 480 } as const;
    expect((await decodedCard({ ...CONTENT, picture }, decode([]))).picture).toEqual(picture);
  });
});

describe('the pages behind a tap', () => {
  const around = { language: 'en', keyboard: null } as const;
  const page = { kind: 'page', url: 'https://shop.example/a', state: 'open', ...around } as const;
  const code = { kind: 'code' as const, rows: ['1'], title: null, secondsLeft: 9.2, ...around };
  const drawn = (link: LinkFrame) => renderToStaticMarkup(createElement(LinkView, { link, emit: () => {} }));

  test('show the host of the page, and when it closes', () => {
    const markup = drawn({ ...page, secondsLeft: 9.2 });
    expect(markup).toContain('>shop.example<');
    expect(markup).toContain('Closes in 10 s');
    expect(markup).not.toContain('style=');
  });

  test('announce the countdown only near its end', () => {
    const shown = (secondsLeft: number) => drawn({ ...page, secondsLeft }).includes('data-shown="true"');
    expect([shown(60), shown(20.1), shown(20), shown(0)]).toEqual([false, false, true, true]);
  });

  test('draw a QR code with its quiet zone, and the host of its link', () => {
    const markup = drawn({ ...code, target: 'https://a.example/x' });
    expect(markup).toContain('viewBox="-4 -4 9 9"');
    expect(markup).toContain('a.example');
    expect(drawn({ ...code, target: 'tel:1' })).not.toContain('Leads to');
  });
});
