import { expect } from './expect';
import { launch, service, test } from './kiosk-test';
import { expectMorePlays, imageAd, kioskSettings, serveTwoCreatives } from './two-creatives';

/** Long enough for the answer to a request for the next slot: it must come 1.5 s before that, s. */
const SLOT_SECONDS = 3;

// Error URLs of ads that cannot be played are called once per answer, with a VAST error code (rule 1).

test('error URLs of rejected ads, failed wrappers and online answers are requested once each, with their codes', async () => {
  serveTwoCreatives(service, SLOT_SECONDS);
  const errors = (ad: string) => [`${service.origin}/collect/error?ad=${ad}&code=[ERRORCODE]`];
  service.setAds([
    imageAd('red', SLOT_SECONDS),
    { ...imageAd('bad', SLOT_SECONDS), metadata: null, errors: errors('bad') },
    {
      ...imageAd('script', SLOT_SECONDS),
      media: [{ name: 'script.js', type: 'application/javascript', width: 1280, height: 720 }],
      errors: errors('script'),
    },
    {
      id: 'gone',
      wrapper: `${service.origin}/media/gone.xml?of=[DEVICEUA]&size=[PLAYERSIZE]`,
      metadata: {},
      errors: errors('gone'),
    },
  ]);
  service.setOnlineAds([{ ...imageAd('online', SLOT_SECONDS), metadata: null, errors: errors('online') }]);
  // A second answer would report its errors again.
  const settings = kioskSettings(service, 600);
  const kiosk = await launch({ ...settings, ads: { ...settings.ads, delivery: 'online' } });
  const told = (ad: string) =>
    service
      .beacons()
      .filter(({ path, query }) => path === '/collect/error' && query.ad === ad)
      .map(({ query }) => query.code);

  await expect.poll(() => told('bad')).toEqual(['101']);
  await expect.poll(() => told('gone')).toEqual(['301']);
  await expect.poll(() => told('script')).toEqual(['403']);
  const wrapped = service.requests().find(({ path }) => path === '/media/gone.xml');
  expect(wrapped?.query).toEqual({
    of: wrapped?.headers['user-agent'],
    size: expect.stringMatching(/^\d+,\d+$/),
  });
  const onlineAnswers = () =>
    service.requests().filter(({ group, query }) => group === 'ads' && query.offline === undefined).length;
  await expect.poll(() => told('online').length).toBeGreaterThanOrEqual(2);
  await expectMorePlays(kiosk, 2);
  // One more request may be on its way between the two counts.
  const before = told('online').length;
  expect(before).toBeLessThanOrEqual(onlineAnswers());
  expect(new Set(told('online'))).toEqual(new Set(['101']));
  expect([told('bad'), told('gone'), told('script')]).toEqual([['101'], ['301'], ['403']]);
});
