import { expect } from './expect';
import { filesWith, inEveryForm } from './files-with';
import { letPass } from './kiosk';
import { folder, launch, service, test } from './kiosk-test';
import { repeating } from './repeating';
import { signalsCaller } from './signals-caller';
import { expectMorePlays, kioskSettings, serveTwoCreatives } from './two-creatives';

/** Values that a sensor may send and that occur nowhere else in the kiosk. */
const AGE = 'AGE_RANGE_OF_THIS_TEST';
const GENDER = 'GENDER_OF_THIS_TEST';
const ACTIVATION = 'activation-of-this-test';
const SKU = 'sku-of-this-test';
const ITEM = 'item of this test';
const SAID = [AGE, GENDER, ACTIVATION, SKU, ITEM].flatMap(inEveryForm);

test('data of sensors about people is in no file, log, status, play, metric or request', async () => {
  // A shorter slot leaves no time for an online request.
  serveTwoCreatives(service, 2);
  const settings = kioskSettings(service);
  const { age_range, gender, group_size } = settings.ads.onlineParams;
  // A cart and an activation are sent without permission where these name them.
  const onlineParams = { age_range, gender, group_size };
  const kiosk = await launch({ ...settings, ads: { ...settings.ads, delivery: 'auto', onlineParams } });
  // Slots are filled online after three answers in time, ten seconds apart.
  const passing = repeating(() => letPass(kiosk, service, 10_000), kiosk.log, 2_000);
  await expect.poll(passing).toContain('slots are filled online');
  await expectMorePlays(kiosk, 1);
  const signals = signalsCaller(folder);
  const people = [{ ageRange: AGE, gender: GENDER }];
  const sense = (groupSize: number) =>
    signals.put('shopper', { people, groupSize, activationId: ACTIVATION, ttlSeconds: 3600 });
  await signals.put('cart', { skus: [SKU], items: [ITEM] });
  // Age and gender of a person alone may be sent, but only with permission.
  await sense(1);
  await expect.poll(() => service.requests().some(({ query }) => query.group_size === '1')).toBe(true);
  await sense(3);
  await expectMorePlays(kiosk, 3);

  // The kiosk used the signal: plays contain the number of people.
  const plays = await kiosk.plays();
  expect(plays.some(({ decision }) => decision?.peopleCount === 3)).toBe(true);
  expect((await signals.status()).signals).toMatchObject({ shopper: { count: 3 }, cart: { count: 2 } });

  const told = await Promise.all(
    ['/v1/status', '/v1/plays', '/metrics', '/healthz'].map(async (path) => (await signals.get(path)).text()),
  );
  const left = JSON.stringify([service.requests(), service.beacons()]);
  for (const word of SAID)
    for (const text of [...told, JSON.stringify(plays), kiosk.log(), kiosk.output(), left])
      expect(text).not.toContain(word);
  await kiosk.terminate();
  expect(filesWith(folder, SAID)).toEqual([]);
});
