import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adsResponse } from '../../e2e/bench/programs/ads-response';
import { type Log, silentLog } from '../../shared/log';
import { createDecider } from '../decisioning/decider';
import { needsOf, type WantedMedia, type Wisher } from '../media/want-list';
import { createReading, type Reading } from '../reading/reading';
import { builtWorker } from '../reading/testing/built-worker';
import { longestTurnMs } from '../reading/testing/turn-meter';
import { readResolvedAds } from '../service/ads-reading/resolved-ads';
import { timers } from '../service/schedule';
import { createAdFiles } from './ad-files';
import { createPlaylist } from './playlist';
import { playlistAnswers } from './playlist-answers';

/** Main may be held for so long at a time (rule 31), ms. */
const MOST_MS = 50;
/** An answer is taken so often, and the calmest time counts: the rest of the machine only ever adds. */
const TRIES = 4;

let worker: Awaited<ReturnType<typeof builtWorker>>;
let reading: Reading;
beforeAll(async () => {
  worker = await builtWorker();
  reading = createReading({ worker: worker.file, schedule: timers });
});
afterAll(() => {
  reading.close();
  worker.dispose();
});

const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A playlist and what takes answers for it, as a kiosk has them; `lines` is what was logged. */
function kiosk() {
  const lines: Array<readonly [string, unknown]> = [];
  const log: Log = { ...silentLog, warn: (message, details) => lines.push([message, details]) };
  const wishes: Record<Wisher, readonly WantedMedia[]> = {
    online: [],
    native: [],
    upcoming: [],
    playlist: [],
  };
  const media = {
    lookup: () => null,
    problems: () => [],
    onChange() {},
    want(who: Wisher, wanted: readonly WantedMedia[]) {
      wishes[who] = wanted;
      needsOf(wishes);
    },
  };
  const files = createAdFiles({ width: 1920, height: 1080 }, media);
  const decider = createDecider({
    ...{ ads: [], mediaUrl: files.key, weights: {}, counters: [], recency: [] },
    sourceMix: { credits: [] },
  });
  const playlist = createPlaylist({
    ...{ decider, media, files, pause, log, maxAgeMs: 86_400_000, changed() {} },
    store: { storePlaylist: async () => true, renewPlaylist: async () => {} },
  });
  const wrappers = {
    fetchDocument: () => Promise.reject(new Error('no network here')),
    readDocument: () => Promise.reject(new Error('no network here')),
    schedule: timers,
  };
  const take = playlistAnswers({
    async read(document) {
      const read = await readResolvedAds(document, { wrappers, reading });
      if (read.kind === 'ads') await files.lookAt(read.ads, pause);
      return read;
    },
    ...{ playlist, log, host: 'ads.example', clock: { now: () => 0, monotonic: () => 0 } },
    ...{ trust() {}, onRead() {}, onNoFill() {} },
  });
  return {
    lines,
    take: (text: string) => take({ kind: 'document', text, validators: null, serverTime: null }),
  };
}

async function calmestOf(text: string, kind: string): Promise<number> {
  let calmest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && calmest >= MOST_MS; tries += 1) {
    const { take } = kiosk();
    const longest = await longestTurnMs(async () => {
      expect(await take(text)).toMatchObject({ kind });
    });
    calmest = Math.min(calmest, longest);
  }
  return calmest;
}

describe('main is never held for 50 ms', () => {
  const rejected = `<VAST>${'<Ad id="an ad"><InLine><Error>https://t.example/e</Error></InLine></Ad>'.repeat(50_000)}</VAST>`;

  it('by an answer of 50,000 ads that are rejected', async () => {
    expect(await calmestOf(rejected, 'rejected')).toBeLessThan(MOST_MS);
  });

  it('by an answer of 10,000 ads of their own media and metadata', async () => {
    expect(await calmestOf(adsResponse(10_000, 1), 'accepted')).toBeLessThan(MOST_MS);
  });
});

describe('rejected ads', () => {
  it('of one answer are logged by name up to 20, then as numbers by code', async () => {
    const { take, lines } = kiosk();
    const ad = (id: number) => `<Ad id="${id}"><InLine/></Ad>`;
    await take(`<VAST><Ad/>${Array.from({ length: 999 }, (_, id) => ad(id)).join('')}</VAST>`);
    expect(lines).toHaveLength(21);
    expect(lines[1]).toEqual([
      'an ad was rejected',
      { ad: '0', code: 'metadata-missing', detail: 'no metadata extension' },
    ]);
    expect(lines[20]).toEqual([
      'more ads were rejected than are named',
      { rejected: 1_000, 'malformed-ad': 1, 'metadata-missing': 999 },
    ]);
  });

  it('of one answer are all logged by name where they are few', async () => {
    const { take, lines } = kiosk();
    await take('<VAST><Ad id="a"/><Ad id="b"/></VAST>');
    expect(lines.map(([message]) => message)).toEqual(['an ad was rejected', 'an ad was rejected']);
  });
});
