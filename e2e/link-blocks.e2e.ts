import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Block } from '../main/fleet/link/block';
import type { Play } from '../shared/play';
import { expect } from './expect';
import { LITTLE_JITTER, nameOf, startBroker } from './fleet-operator';
import { type Kiosk, shortenCards } from './kiosk';
import { folder, launch, service, test } from './kiosk-test';
import { nativeAd, nativeSettings } from './native-zone';
import { solidImage } from './solid-image';
import {
  BRIEF,
  fixture,
  GREEN,
  imageAd,
  kioskSettings,
  ORANGE,
  RED,
  serveColours,
  VIOLET,
} from './two-creatives';

// Rule 30 for what is not in the stored playlist: online ads, native ads, house creatives.

/** Duration of what will be blocked, s: long enough that it cannot have ended by itself. */
const LONG = 20;
/** Duration of slots that are requested online, s: the answer must arrive 1.5 s before the end. */
const ONLINE = 2.5;

/**
 * The source of the slots under test. The first item plays in all of them, and the second when the first is
 * blocked.
 */
interface Source {
  readonly name: string;
  readonly first: Block;
  readonly second: Block;
  /** Where the kiosk asks for them; null: it has them. */
  readonly path: string | null;
  /** Sets up both, and something that is shown when both are blocked; resolves to the kiosk's settings. */
  readonly serve: () => object;
}

const inCampaign = (id: string) => ({ meta: [{ type: 'campaignid', data: { text: id } }] });

const SOURCES: readonly Source[] = [
  {
    name: 'ads asked for online',
    first: { kind: 'flight', id: 'flight-green' },
    second: { kind: 'flight', id: 'flight-violet' },
    path: '/v1alpha2/ads',
    serve() {
      serveColours(service, { red: RED, green: GREEN, violet: VIOLET });
      service.setAds([imageAd('red', ONLINE)]);
      service.setOnlineAds([imageAd('green', LONG), imageAd('violet', ONLINE)]);
      const settings = kioskSettings(service, 60);
      return { ...settings, ads: { ...settings.ads, delivery: 'online' } };
    },
  },
  {
    name: 'native ads',
    first: { kind: 'campaign', id: 'spring' },
    second: { kind: 'campaign', id: 'autumn' },
    path: '/api/v3/native',
    serve() {
      serveColours(service, { red: RED });
      service.setAds([imageAd('red', BRIEF)]);
      const both = ['spring', 'autumn'].map((id) => nativeAd(service, id, inCampaign(id)));
      // As many as one answer may hold: each is shown once.
      service.setNativeAds(Array.from({ length: 10 }, () => both).flat());
      return nativeSettings(service, { cardSeconds: LONG });
    },
  },
  {
    name: 'house creatives',
    first: { kind: 'ad', id: 'a.png' },
    second: { kind: 'ad', id: 'b.mp4' },
    path: null,
    serve() {
      service.setAds([]);
      const house = join(folder, 'house');
      mkdirSync(house);
      writeFileSync(join(house, 'a.png'), solidImage(ORANGE));
      writeFileSync(join(house, 'b.mp4'), fixture('green-900ms.mp4'));
      writeFileSync(join(house, 'c.mp4'), fixture('green-900ms.mp4'));
      return { ...kioskSettings(service), playback: { imageSeconds: LONG, houseDir: house } };
    },
  },
];

/** Whether a block applies to what plays. */
const isOf = ({ kind, id }: Block, shown: Record<'adId' | 'flightId' | 'campaignId', string | null> | null) =>
  shown !== null &&
  id === { ad: shown.adId, flight: shown.flightId, campaign: shown.campaignId }[kind as 'ad'];

/** Plays that begin after this call, also those of a next start. */
async function playsFromNow(running: Kiosk): Promise<(now?: Kiosk) => Promise<Play[]>> {
  const before = new Set((await running.plays()).map(({ id }) => id));
  return async (now = running) => (await now.plays()).filter(({ id }) => !before.has(id));
}

/** Waits for two plays for which `awaited` is true; fails when any play was of something blocked. */
async function expectOnly(
  plays: () => Promise<Play[]>,
  blocked: readonly Block[],
  awaited: (play: Play) => boolean,
): Promise<void> {
  const isOver = ({ outcome }: Play) => outcome === 'completed';
  await expect
    .poll(async () => (await plays()).filter((play) => isOver(play) && awaited(play)).length, {
      // Online answers that come too late leave slots to the stored playlist.
      timeout: 120_000,
    })
    .toBeGreaterThanOrEqual(2);
  const wrong = (await plays()).filter(
    (play) => play.outcome !== 'given-back' && blocked.some((block) => isOf(block, play)),
  );
  expect(wrong).toEqual([]);
}

for (const { name, first, second, path, serve } of SOURCES) {
  test(`blocked ${name} leave the screen at once and start no other slot, nor at the next start`, async () => {
    const { broker, operator } = await startBroker();
    const settings = { ...serve(), fleet: operator.fleet };
    const kiosk = await launch(settings, LITTLE_JITTER);
    const id = await nameOf(kiosk);

    await test.step('during its slot', async () => {
      await expect.poll(() => isOf(first, operator.now(id))).toBe(true);
      await shortenCards(kiosk);
      const later = await playsFromNow(kiosk);
      await operator.block('all', 1, [first], true);
      const taken = async () => (await kiosk.plays()).findLast((play) => isOf(first, play))?.outcome;
      await expect.poll(taken).toBe('interrupted');
      await expectOnly(later, [first], (play) => isOf(second, play));
    });

    const isFree = (play: Play) => ![first, second].some((block) => isOf(block, play));
    await test.step('before its next slot', async () => {
      await operator.block('all', 2, [first, second]);
      const later = await playsFromNow(kiosk);
      await expectOnly(later, [first, second], isFree);
    });

    await test.step('from the first frame of the next start, without a broker', async () => {
      const later = await playsFromNow(kiosk);
      await kiosk.kill();
      await broker.stop();
      const asked = () =>
        service.requests().filter((request) => request.path === path && request.query.offline !== 'true')
          .length;
      const before = asked();
      const next = await launch(settings, LITTLE_JITTER);
      if (path !== null) await expect.poll(asked).toBeGreaterThan(before);
      // The answer has come before the second of these slots.
      await expectOnly(await playsFromNow(next), [first, second], isFree);
      await expectOnly(() => later(next), [first, second], isFree);
    });
  });
}
