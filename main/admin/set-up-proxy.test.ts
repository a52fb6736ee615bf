import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readProxy } from '../settings/proxy-address';
import { proxyEntries, withProxy } from './set-up-proxy';

const form = (proxyUrl: string, proxyUser = '', proxyPassword: string | null = null) => ({
  proxyUrl,
  proxyUser,
  proxyPassword,
});
const proxyOf = (raw: object) => (raw as { network?: { proxy?: string } }).network?.proxy;
const STORED = { network: { proxy: 'http://kiosk:s3cret@proxy.store:3128', caFile: '/ca.pem' } };

describe('the proxy of the set-up', () => {
  it.each([
    ['address alone', form('http://proxy.store:3128'), 'http://proxy.store:3128'],
    ['user and password', form(' http://p:3128 ', ' kiosk ', 's3cret'), 'http://kiosk:s3cret@p:3128'],
    ['the system’s', form('system', 'kiosk', 's3cret'), 'system'],
    ['none', form(' '), undefined],
    ['all in the address', form('http://kiosk:s3cret@p:3128'), 'http://kiosk:s3cret@p:3128'],
    ['a user beside one in the address', form('http://a:b@p:1', 'c', 'd'), 'http://c:d@p:1'],
    ['no address', form('proxy.store', 'kiosk', 's3cret'), 'proxy.store'],
  ])('%s', (_name, entered, expected) => {
    expect(proxyOf(withProxy({}, entered))).toBe(expected);
  });

  it('keeps the stored password unless a new one is typed, and removes it with its user or proxy', () => {
    const shown = proxyEntries(STORED);
    expect(shown).toEqual({ proxyUrl: 'http://proxy.store:3128', proxyUser: 'kiosk', hasPassword: true });
    const { proxyUrl, proxyUser } = shown;
    expect(withProxy(STORED, form(proxyUrl, proxyUser))).toEqual(STORED);
    expect(proxyOf(withProxy(STORED, form(proxyUrl, proxyUser, 'new')))).toBe(
      'http://kiosk:new@proxy.store:3128',
    );
    expect(proxyOf(withProxy(STORED, form(proxyUrl)))).toBe('http://proxy.store:3128');
    expect(withProxy(STORED, form(''))).toEqual({ network: { caFile: '/ca.pem' } });
  });

  it('every user and password come back as they were typed', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter(
      // Neither can stand in a Basic credential (RFC 7617, 2).
      (value) => value.isWellFormed() && !/[\p{Cc}]/u.test(value) && value.trim() === value,
    );
    const user = text.filter((value) => !value.includes(':'));
    fc.assert(
      fc.property(user, text, (name, password) => {
        const raw = withProxy({}, form('http://proxy.store:3128', name, password));
        const read = readProxy(proxyOf(raw) ?? '');
        expect(read !== 'system' && read?.credentials?.reveal()).toBe(`${name}:${password}`);
        expect(proxyEntries(raw)).toEqual({
          proxyUrl: 'http://proxy.store:3128',
          proxyUser: name,
          hasPassword: true,
        });
      }),
    );
  });

  it('a sealed proxy is not shown', () => {
    expect(proxyEntries({ network: { proxy: { sealed: 'x' } } }).proxyUrl).toBe('');
  });
});
