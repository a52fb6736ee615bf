import { describe, expect, it } from 'vitest';
import type { GuestListener } from '../../beacons/js-guests';
import { type GuestKind, guestAnswer, guestFile, isMarkup } from './guest-page';

function answered(path: string, kind: GuestKind = 'beacon', content = 'ping()') {
  const told: string[] = [];
  const listener: GuestListener = {
    reported: (word, detail) => void told.push(`${word}: ${detail}`),
    blocked: (what) => void told.push(`blocked: ${what}`),
    crashed() {},
  };
  return { ...guestAnswer(new URL(path, 'http://a.localhost/'), kind, content, listener), told };
}

describe('the origin of a guest', () => {
  it.each([
    ['/report?word=ran&detail=', 'ran: null'],
    ['/report?word=threw&detail=Uncaught%201', 'threw: Uncaught 1'],
    ['/report?word=nonsense', 'threw: null'],
    ['/report?word=blocked&detail=frame-src', "blocked: the page's policy: frame-src"],
  ])('reads %s as %s', (path, word) => {
    expect(answered(path)).toMatchObject({ status: 204, told: [word] });
  });

  it('serves a document with a policy, and no other paths', () => {
    const document = answered('/', 'banner', '<b>x</b>');
    expect(document.status).toBe(200);
    expect(document.body).toContain('<b>x</b>');
    expect(document.headers['content-security-policy']).toMatch(
      /^sandbox (?!.*allow-top-navigation(?!-by-user))/,
    );
    for (const path of ['/else', '/index.html', '/watch.js/x']) expect(answered(path).status).toBe(404);
  });

  it('serves the MRAID container to banners only', () => {
    expect(answered('/mraid.js', 'banner')).toMatchObject({ status: 200 });
    expect([answered('/mraid.js', 'beacon').status, answered('/mraid.js', 'page').status]).toEqual([
      404, 404,
    ]);
  });

  it('accepts no report of a page, which has no network', () => {
    expect(answered('/report?word=ran', 'page')).toMatchObject({ status: 404, told: [] });
    const policy = answered('/', 'page', '<p>').headers['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/allow-(?!scripts|same-origin)|https:/);
  });
});

describe('the page of a guest', () => {
  it.each([
    ['new Image().src = "https://x/p"', false],
    ['if (a < b) { c() }', false],
    ['var s = "</script>"; ping()', false],
    ['const t = "</script><script>ping()</script>"', false],
    ['<!--\nping()\n//-->', false],
    ['<script>ping()</script>', true],
    ['<img src="https://x/p"><script src="https://x/s.js"></script>', true],
    ['  <!-- tag --><script>ping()</script>', true],
    ['<!DOCTYPE html><p>', true],
    ['<!-- a --><img src="https://x/p">', true],
    ['<!-- a -->\n<!-- b\nb -->\n<iframe src="https://x/p"></iframe>', true],
    ['<!-- a -->\nif (1 < 2) ping()', false],
    ['<!-- a', false],
  ])('recognises %s as markup: %s', (beacon, expected) => {
    expect(isMarkup(beacon)).toBe(expected);
  });

  it('serves a bare script as a file, so that a closing tag inside it is harmless', () => {
    const script = 'var s = "</script><b>"; ping()';
    expect(guestFile('/', script, 'beacon')?.body).not.toContain('ping');
    expect(guestFile('/beacon.js', script, 'beacon')?.body).toBe(script);
    expect(guestFile('/', script, 'banner')?.body).toContain('ping');
    expect(guestFile('/else', script, 'beacon')).toBeNull();
  });
});
