import { describe, expect, it } from 'vitest';
import type { Ad } from '../../shared/ad';
import { anAd } from '../decisions/testing/ads-for-tests';
import type { AdsAnswer, AdsClient } from '../service/ads';
import type { RejectedAd } from '../service/ads-reading/read-ads';
import type { Unreadable } from '../service/ads-reading/vast-document';
import type { ResolvedAds } from '../service/ads-reading/wrappers';
import { failure, type ServiceFailure } from '../service/service-error';
import { onlineRequest } from './online-request';

const HOST = 'ads.test';
const document = {
  kind: 'document',
  text: '<VAST/>',
  validators: null,
  serverTime: null,
  leftMs: 600,
} as const;

const read = (...ads: readonly Ad[]): ResolvedAds => ({
  kind: 'ads',
  ads,
  rejected: [],
  deadEnds: [],
  errorUrls: [],
  hasWrappers: false,
  isCutOff: false,
});

/** Makes one request, with this answer and this reading of it; returns what happened, in order. */
async function ask(answer: AdsAnswer | ServiceFailure, reading: ResolvedAds | Unreadable = read()) {
  const happened: string[] = [];
  const told: Array<{ readonly kind: string } | ServiceFailure> = [];
  const request = onlineRequest({
    ads: { requestOnline: async () => answer } as unknown as AdsClient,
    read: async (_document, leftMs) => {
      happened.push(`read in ${leftMs} ms`);
      return reading;
    },
    context: () => ({ shopper: null, cart: null, weather: null }),
    async trust() {
      await Promise.resolve();
      happened.push('trust');
    },
    tell: (_operation, word) => {
      happened.push('tell');
      told.push(word);
    },
    host: HOST,
  });
  return { outcome: await request(1_000), told, happened };
}

const unreadable: Unreadable = { kind: 'unreadable', code: 'malformed-xml', message: 'it ends too early' };

describe('the request of a slot', () => {
  it('succeeds only once its document was read, and the clock goes by its time', async () => {
    const ad = anAd({}, 'https://media.test/a.png', 'a');
    const { outcome, told, happened } = await ask(document, read(ad));
    expect(outcome).toEqual({ kind: 'ads', ads: [ad], rejected: [] });
    expect(happened).toEqual(['read in 600 ms', 'trust', 'tell']);
    expect(told).toEqual([document]);
  });

  it('does not treat an answer of only rejected ads as no fill', async () => {
    const rejected: RejectedAd = {
      id: 'bad',
      number: 1,
      code: 'malformed-ad',
      detail: 'no creative',
      errorUrls: [],
      errorCode: 101,
    };
    const { outcome } = await ask(document, { ...read(), rejected: [rejected] });
    expect(outcome).toEqual({ kind: 'ads', ads: [], rejected: [rejected] });
    expect((await ask(document)).outcome).toEqual({ kind: 'no-fill' });
  });

  it('takes the ads of an answer whose wrappers were cut off: they are for this slot alone', async () => {
    const ad = anAd();
    const { outcome } = await ask(document, { ...read(ad), hasWrappers: true, isCutOff: true });
    expect(outcome).toEqual({ kind: 'ads', ads: [ad], rejected: [] });
  });

  it('fails if the answer cannot be read, and reports it', async () => {
    const { outcome, told, happened } = await ask(document, unreadable);
    expect(outcome).toEqual({ kind: 'failed', code: 'malformed-xml' });
    expect(happened).toEqual(['read in 600 ms', 'tell']);
    expect(told).toEqual([failure('online-ads', 'malformed', { host: HOST, detail: 'it ends too early' })]);
  });

  it('tells how long the service asks to wait, but not for the token, whose client waits itself', async () => {
    const busy = (operation: 'online-ads' | 'token') =>
      failure(operation, 'rate-limited', { host: HOST, status: 429, retryAfterMs: 60_000 });
    expect((await ask(busy('online-ads'))).outcome).toMatchObject({ retryAfterMs: 60_000 });
    expect((await ask(busy('token'))).outcome).toEqual({ kind: 'failed', code: 'rate-limited' });
  });

  it('accepts no fill as a good answer', async () => {
    const { outcome, told, happened } = await ask({ kind: 'no-fill', serverTime: null });
    expect(outcome).toEqual({ kind: 'no-fill' });
    expect(happened).toEqual(['trust', 'tell']);
    expect(told).toEqual([{ kind: 'no-fill', serverTime: null }]);
  });

  it('returns a failure of the service unchanged', async () => {
    const refused = failure('online-ads', 'server-error', { host: HOST, status: 500 });
    const { outcome, told } = await ask(refused);
    expect(outcome).toEqual({ kind: 'failed', code: 'server-error' });
    expect(told).toEqual([refused]);
  });
});
