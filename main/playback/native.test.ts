import { expect, test } from 'vitest';
import { silentLog } from '../../shared/log';
import type { Confirmation } from '../beacons/outbox';
import { EMPTY_CONTEXT } from '../decisioning/context';
import { readInPlace } from '../reading/reading';
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

test('the error URLs of a video that cannot be read are fired at its receipt, and its ad is shown without it', async () => {
  await using server = await localServer((_request, response) => {
    response.end(JSON.stringify(UNREADABLE));
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
    reading: readInPlace,
    newId: () => 'answer',
  });
  if (created.kind === 'incomplete') throw new Error('incomplete');
  const confirmed: Confirmation[] = [];
  const time = handTurnedTime();
  let tellChanged = () => {};
  const changed = new Promise<void>((resolve) => {
    tellChanged = resolve;
  });
  const native = createNative({
    client: created.client,
    outbox: {
      async confirmOnce(confirmation) {
        confirmed.push(confirmation);
        return true;
      },
    },
    media: { want() {}, lookup: () => null, verified: async () => null, problems: () => [], onChange() {} },
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
  native.start();
  await changed;
  native.stop();
  const fault = { instance: 'answer/0', kind: 'vast-error', play: null, errorCode: 303 };
  expect(confirmed).toEqual([{ ...fault, beacons: [{ position: 0, url: ERROR }] }]);
  expect(native.held().map(({ instance }) => instance)).toEqual(['answer/0']);
});
