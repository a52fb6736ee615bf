import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { silentLog } from '../../shared/log';
import type { Confirmation } from '../beacons/outbox';
import { EMPTY_CONTEXT } from '../decisioning/context';
import { createNativeClient } from '../service/native/native-client';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { localServer, realHttp } from '../service/testing/local-server';
import { SettingsFile } from '../settings/settings';
import { createNative } from './native';

const ERROR = 'https://track.example/error?code=[ERRORCODE]';
const UNREADABLE = {
  status: 'ok',
  ads: [
    {
      assets: [
        { type: 'title', data: { text: 'with words' } },
        { type: 'vast2', data: { vast2: `<VAST version="2.0"><Error><![CDATA[${ERROR}]]></Error></VAST>` } },
      ],
    },
  ],
};

/** Native ads from a real server that always gives this answer; the markup of some banners is quarantined. */
async function world(answer: object, quarantined: readonly string[] = []) {
  const server = await localServer((_request, response) => {
    response.end(JSON.stringify(answer));
  });
  const settings = SettingsFile.parse({
    service: { baseUrl: 'https://ads.example' },
    native: { apptoken: 'token', zoneid: 'zone' },
  });
  const created = createNativeClient({
    http: realHttp,
    nativeUrl: server.url,
    settings: settings.native,
    device: { os: 'linux', osver: '6.1', devicemodel: 'kiosk' },
    language: 'en',
    wrappers: null,
    newId: () => 'answer',
  });
  if (created.kind === 'incomplete') throw new Error('incomplete');
  const confirmed: Confirmation[] = [];
  const time = handTurnedTime();
  let tellChanged = () => {};
  const changed = new Promise<void>((resolve) => {
    tellChanged = resolve;
  });
  const hashes = quarantined.map((html) => createHash('sha256').update(html).digest('hex'));
  const native = createNative({
    client: created.client,
    outbox: {
      async confirmOnce(confirmation) {
        confirmed.push(confirmation);
        return true;
      },
    },
    media: { want() {}, lookup: () => null, verified: async () => null, problems: () => [], onChange() {} },
    quarantine: { msFor: (sha256) => (hashes.includes(sha256) ? 1 : 0) },
    openBanner: () => Promise.reject(new Error('no banners here')),
    closeBanner() {},
    openLink: () => ({ open() {}, continueOnPhone() {}, showCode() {} }),
    context: () => EMPTY_CONTEXT,
    settings,
    volume: () => 0,
    screen: { width: 1920, height: 1080 },
    clock: time.clock,
    schedule: time.schedule,
    random: () => 0,
    newId: () => 'id',
    log: silentLog,
    tell() {},
    hold() {},
    changed: () => tellChanged(),
  });
  return { native, confirmed, changed, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('the error URLs of a video that cannot be read are fired at its receipt, and its ad is shown without it', async () => {
  await using kiosk = await world(UNREADABLE);
  const { native, confirmed } = kiosk;
  native.start();
  await kiosk.changed;
  native.stop();
  const fault = { instance: 'answer/0', kind: 'vast-error', play: null, errorCode: 303 };
  expect(confirmed).toEqual([{ ...fault, beacons: [{ position: 0, url: ERROR }] }]);
  expect(native.held().map(({ instance }) => instance)).toEqual(['answer/0']);
});

test('an ad whose banner is quarantined is not kept, and the one after it is', async () => {
  const banner = (html: string) => ({
    assets: [
      { type: 'title', data: { text: 'with words' } },
      { type: 'htmlbanner', data: { html, w: 300, h: 250 } },
    ],
  });
  await using kiosk = await world({ status: 'ok', ads: [banner('<b>harms</b>'), banner('<b>good</b>')] }, [
    '<b>harms</b>',
  ]);
  kiosk.native.start();
  await expect.poll(() => kiosk.native.held().map(({ instance }) => instance)).toEqual(['answer/1']);
  kiosk.native.stop();
});
