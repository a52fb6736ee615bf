import { expect, it } from 'vitest';
import { anAd, onlyMedia } from '../decisions/testing/ads-for-tests';
import type { MediaProblem } from '../media/media-problem';
import { readSettings } from '../settings/testing/read-settings';
import { describeRunningKiosk } from './running-kiosk';
import { WORKING_SETTINGS } from './testing/admin-world';

it('many files with problems are not listed anew for each ad', () => {
  const ads = Array.from({ length: 2_000 }, (_, index) => anAd({}, `https://media.test/${index}.mp4`));
  const problemOf = (url: string): MediaProblem => ({ url, code: 'status', detail: 'got 404' });
  let lists = 0;
  const read = readSettings(WORKING_SETTINGS, 'test');
  if (read.kind === 'error') throw new Error(read.message);
  const kiosk = describeRunningKiosk({
    settings: read.settings,
    cache: {
      problemOf,
      problems() {
        lists += 1;
        return ads.map((ad) => problemOf(onlyMedia(ad) ?? ''));
      },
    },
    files: { urls: (ad: (typeof ads)[number]) => [onlyMedia(ad)], playable: () => null },
  } as unknown as Parameters<typeof describeRunningKiosk>[0]);
  expect(kiosk.media(anAd({}, 'https://media.test/7.mp4'))).toEqual({
    state: 'failed',
    url: 'https://media.test/7.mp4',
    detail: 'got 404',
    isHarmful: false,
  });
  for (const ad of ads) kiosk.media(ad);
  expect(lists).toBe(0);
});
