import { describe, expect, test } from 'vitest';
import { MAX_QR_BYTES } from '../shell/link-view/qr-code';
import { linkTarget, phoneAddress } from './link-target';
import { MAX_URL } from './typed-items';

const encoded = (url: string) => encodeURIComponent(url);

describe('a link', () => {
  test.each([
    ['https://shop.example/a?b=c#d', 'https://shop.example/a?b=c#d'],
    ['HTTP://shop.example', 'HTTP://shop.example'],
    ['  https://shop.example/ ', 'https://shop.example/'],
    ['//shop.example/a', 'https://shop.example/a'],
  ])('%s opens as a page', (link, url) => {
    expect(linkTarget(link)).toEqual({ kind: 'web', url });
  });

  test.each([
    [`market://details?id=a&fallback=${encoded('https://a.example/?x=1&y=2')}`, 'https://a.example/?x=1&y=2'],
    [`app://open?u=${encoded('http://a.example')}&v=${encoded('https://b.example')}`, 'https://b.example'],
    [`app://open?u=${encoded('http://a.example')}`, 'http://a.example'],
    [
      'intent://x#Intent;scheme=app;S.browser_fallback_url=https%3A%2F%2Fa.example%2Fb;end',
      'https://a.example/b',
    ],
    // Its query is for the app.
    [
      `intent://x?referrer=${encoded('https://b.example')}#Intent;S.browser_fallback_url=http%3A%2F%2Fa.example;end`,
      'http://a.example',
    ],
    [`app:open?to=${encoded('https://a.example')}`, 'https://a.example'],
  ])('%s opens its fallback', (link, url) => {
    expect(linkTarget(link)).toEqual({ kind: 'web', url });
  });

  test.each([
    'tel:+4930123456',
    'mailto:hello@shop.example',
    'market://details?id=com.example.app',
    'itms-apps://itunes.example/app/id1',
    'app://open?fallback=not-an-address',
    'intent://x#Intent;S.browser_fallback_url=%E0%A4%A;end',
    `tel:${'1'.repeat(MAX_QR_BYTES - 4)}`,
  ])('%s is for a phone', (link) => {
    expect(linkTarget(link)).toEqual({ kind: 'qr', text: link });
  });

  test.each([
    null,
    '',
    '   ',
    'shop',
    '/a/path',
    'https://',
    'https:///nowhere',
    'javascript:alert(1)',
    'JavaScript:location="https://a.example"',
    `data:text/html,x?u=${encoded('https://a.example')}`,
    'file:///etc/passwd',
    'blob:https://a.example/1',
    'endcap://kiosk/',
    'guest://banner-1/',
    'devtools://devtools/bundled/inspector.html',
    'chrome-untrusted://terminal/',
    `tel:${'1'.repeat(MAX_QR_BYTES - 3)}`,
    `sms:1?body=${'é'.repeat(MAX_QR_BYTES / 2)}`,
  ])('%j has no target', (link) => {
    expect(linkTarget(link)).toBeNull();
  });

  test.each([
    ['of the web', 'https://shop.example/?'],
    ['with its page in a foreign query', `app://open?u=${encoded('https://a.example')}&`],
  ])('%s has a target only up to the length of addresses that are read', (_what, start) => {
    const long = start.padEnd(MAX_URL, 'a=&');
    expect(linkTarget(long)).toMatchObject({ kind: 'web' });
    expect(linkTarget(`${long}a`)).toBeNull();
  });
});

describe('the code of a link that continues on a phone', () => {
  const LINK = 'https://tracker.example/click?id=1';
  const long = (url: string) => `${url}?${'x'.repeat(MAX_QR_BYTES)}`;

  test.each([
    ['a page: its address', 'https://shop.example/app', LINK, 'https://shop.example/app'],
    ['a page with a long address: the link', long('https://shop.example/app'), LINK, LINK],
    [
      "an app's address: the link, which the phone follows for its own system",
      'market://details?id=a',
      LINK,
      LINK,
    ],
    [
      "an app's address, of a long link: the app's address",
      'market://details?id=a',
      long(LINK),
      'market://details?id=a',
    ],
    [
      "an app's address with a web address for others, of a long link: that one",
      `intent://x#Intent;scheme=app;S.browser_fallback_url=${encoded('https://shop.example/b')};end`,
      long(LINK),
      'https://shop.example/b',
    ],
    ["this machine's own address: the link", 'about:blank', LINK, LINK],
    ['nothing that fits: none', long('https://shop.example/app'), long(LINK), null],
  ])('leads, where its redirects end at %s', (_end, reached, link, expected) => {
    expect(phoneAddress(reached, link)).toBe(expected);
  });
});
