import { beforeEach, describe, expect, test } from 'vitest';
import { type HandTurnedTime, handTurnedTime } from '../service/testing/hand-turned-time';
import { readSettings } from '../settings/testing/read-settings';
import type { Lookup } from './checked-target';
import { createEgress, type Egress } from './egress';

/**
 * What a look-up of a name gives: addresses, or the code of an error. With a promise it comes later, or
 * never.
 */
type Said = readonly string[] | string;
let said: Record<string, Said | Promise<Said>>;
let asked: string[];
let time: HandTurnedTime;
let egress: Egress;

const webLookup: Lookup = async (name) => {
  asked.push(name);
  const answer = (await said[name]) ?? 'ENOTFOUND';
  if (typeof answer === 'string') throw Object.assign(new Error(answer), { code: answer });
  return answer.map((address) => ({ address, family: 4 }));
};

beforeEach(() => {
  said = {};
  asked = [];
  time = handTurnedTime();
  const read = readSettings(
    {
      service: { baseUrl: 'https://ads.example' },
      ads: { authentication: 'none' },
      network: { proxy: 'http://9.9.9.9:3128' },
    },
    'test',
  );
  if (read.kind === 'error') throw new Error(read.message);
  egress = createEgress(read.settings, {
    lookup: webLookup,
    webLookup,
    schedule: time.schedule,
    clock: time.clock,
    systemProxy: async () => 'DIRECT',
    userAgent: 'Endcap/test',
  });
});

/** The policy's code (`fenced`, `name`), or how the host passes. */
async function verdict(host: string): Promise<string> {
  const target = await egress.egressPolicy.resolve(new URL(`https://${host}/`), 'guest');
  if (!target.ok) return target.code;
  return target.addresses.length > 0 ? 'checked' : 'unchecked';
}

describe('behind a proxy, a name in an ad', () => {
  test('is looked up and refused if private, even if other names get no answer', async () => {
    said = {
      'nas.store.example': ['10.1.2.3'],
      'a.slow.example': new Promise(() => {}),
      'b.slow.example': new Promise(() => {}),
    };
    void verdict('a.slow.example');
    void verdict('b.slow.example');
    await time.advance(5_000);
    expect(await verdict('nas.store.example')).toBe('fenced');
  });

  test.each(['ETIMEOUT', 'ESERVFAIL', 'ECONNREFUSED'])(
    'passes unchecked where no DNS answers at all (%s)',
    async (code) => {
      said = { 'cdn.example': code };
      expect(await verdict('cdn.example')).toBe('unchecked');
    },
  );

  test.each(['ENOTFOUND', 'ENODATA', 'EREFUSED'])(
    'passes unchecked if the name server knows other names but not this one (%s)',
    async (code) => {
      said = { 'known.example': ['1.1.1.1'], 'cdn.example': code };
      expect(await verdict('known.example')).toBe('checked');
      expect(await verdict('cdn.example')).toBe('unchecked');
    },
  );

  test.each(['ETIMEOUT', 'ESERVFAIL'])(
    'does not pass within ten minutes of an answer for another name (%s)',
    async (code) => {
      said = { 'known.example': ['1.1.1.1'], 'evil.example': code };
      expect(await verdict('evil.example')).toBe('unchecked');
      expect(await verdict('known.example')).toBe('checked');
      expect(await verdict('evil.example')).toBe('name');
      await time.advance(10 * 60_000);
      expect(await verdict('evil.example')).toBe('unchecked');
    },
  );

  test('does not pass if too many other look-ups prevent its own', async () => {
    said = { 'nas.store.example': 'EBUSY' };
    expect(await verdict('nas.store.example')).toBe('name');
  });

  test('passes still after an ad named a host that only the DNS of the store knows', async () => {
    said = { 'nas.store.example': ['10.1.2.3'], 'cdn.example': 'ETIMEOUT' };
    expect(await verdict('nas.store.example')).toBe('fenced');
    expect(await verdict('cdn.example')).toBe('unchecked');
  });

  test('is looked up again a minute after no answer, or once another name gets an answer', async () => {
    said = { 'cdn.example': 'ETIMEOUT' };
    for (const wait of [0, 30_000, 30_000]) {
      await time.advance(wait);
      expect(await verdict('cdn.example')).toBe('unchecked');
    }
    expect(asked).toEqual(['cdn.example', 'cdn.example']);
    said = { 'known.example': ['1.1.1.1'], 'cdn.example': ['10.0.0.1'] };
    expect(await verdict('known.example')).toBe('checked');
    expect(await verdict('cdn.example')).toBe('fenced');
  });
});
