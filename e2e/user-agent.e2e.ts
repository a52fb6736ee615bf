import { NATIVE_ADS } from '../main/demo-service/native-ads';
import { expect } from './expect';
import { shortenCards } from './kiosk';
import { launch, service, test } from './kiosk-test';
import { nativeSettings, serveLoop } from './native-zone';
import { BRIEF } from './two-creatives';

// Native requests, and everything that native ads send, use the same user agent (rule 19).

const AGENT = 'Tablet/2 (Store)';
const WAYS = ['impression.gif', 'js-impression.gif', 'vast/impression', 'markup.gif'];

test('native requests and the beacons of their ads carry one user agent', async () => {
  test.slow();
  serveLoop(service, BRIEF);
  const delivery = { origin: service.origin, instance: 'one' };
  // Native ads of the demo: one with a script, one with markup and one with a video.
  service.setNativeAds([1, 4, 7].map((index) => NATIVE_ADS[index]?.build(delivery)));
  await shortenCards(await launch(nativeSettings(service, { native: { params: { ua: AGENT } } })));
  const beacons = () => service.beacons().filter(({ path }) => path.startsWith('/collect/native/'));
  for (const way of WAYS)
    await expect
      .poll(() => beacons().some(({ path }) => path === `/collect/native/${way}`), {
        message: way,
      })
      .toBe(true);

  const agentsOf = (group: string) => [
    ...new Set(service.requests().flatMap((one) => (one.group === group ? [one.headers['user-agent']] : []))),
  ];
  const [native, ...others] = agentsOf('native');
  expect(others).toEqual([]);
  expect(native).toBe(AGENT);
  expect(new Set(beacons().map(({ userAgent }) => userAgent))).toEqual(new Set([native]));
  expect(beacons().some(({ agentDiffers }) => agentDiffers)).toBe(false);
  for (const group of ['token', 'inventory', 'ads'])
    expect(agentsOf(group), group).toEqual([expect.stringMatching(/^Endcap\/\d/)]);
});
