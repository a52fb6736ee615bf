import { expect, test } from 'vitest';
import type { Ad } from '../../shared/ad';
import type { MediaProblemCode } from '../media/media-problem';
import { watchUnusable } from './unusable-ads';

const URL = 'https://media.test/a.png';
const other = 'https://media.test/b.png';

/** What is reported of an ad with these files while they come (`true`) or fail with a problem. */
async function reported(urls: readonly string[], happens: readonly (true | MediaProblemCode)[], url = URL) {
  const ad = {} as Ad;
  const codes: number[] = [];
  let present: true | MediaProblemCode = true;
  const changed = watchUnusable(
    {
      files: { urls: () => [...urls] },
      media: {
        lookup: (asked) => (asked === url && present !== true ? null : ({} as never)),
        problemOf: () => (present === true ? null : { url, code: present, detail: '' }),
      },
      pause: async () => {},
      unusable: (ads, code) => codes.push(...ads.map(() => code)),
    },
    () => [ad],
  );
  for (present of happens) await changed(url, present === true);
  return codes;
}

test.each([
  ['the third time', [URL], ['status', 'status', 'status'], [401]],
  ['once', [URL], ['status', 'status', 'status', 'status'], [401]],
  ['with its code', [URL], ['encoded', 'encoded', 'encoded'], [405]],
  ['not before', [URL], ['status', 'status'], []],
  ['not if it came in between', [URL], ['status', 'status', true, 'status', 'status'], []],
  ['not for a problem of this kiosk', [URL], ['no-room', 'no-room', 'no-room'], []],
  ['not while another file can be used', [URL, other], ['status', 'status', 'status'], []],
] as const)('an ad whose file fails is reported: %s (rule 15)', async (_when, urls, happens, codes) => {
  expect(await reported(urls, happens)).toEqual(codes);
});
