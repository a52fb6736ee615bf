import { setTimeout as sleep } from 'node:timers/promises';
import { startDemoService } from '../../main/demo-service/demo-service';
import type { Play } from '../../shared/play';
import { dataFolder } from '../kiosk';
import { seededRandom } from '../seeded-random';
import { signalsCaller } from '../signals-caller';
import { kioskSettings } from '../two-creatives';
import { acceleratedPlaylist } from './accelerated-playlist';
import { judge } from './judgement';
import { startVictim, type Victim } from './victim';

export interface KillReport {
  readonly kills: number;
  /** Kills during a start. */
  readonly killsAtStart: number;
  readonly plays: number;
  /** Reservations that a kill left open: they count. */
  readonly unsettled: number;
  /** Starts that found the database's log torn by the last kill, and cut it. */
  readonly tornLogs: number;
  readonly impressions: number;
  /** Impressions of native ads, which are never sent again. */
  readonly nativeImpressions: number;
  readonly capsReached: number;
  readonly capsExceeded: readonly string[];
  readonly playsLost: readonly string[];
  readonly countersWrong: readonly string[];
  /** Beacons that may be sent once and were sent twice. */
  readonly sentTwice: readonly string[];
  /** Losses and repairs that the kiosk itself reported. */
  readonly confessed: readonly string[];
  /** Time from process start to the first frame of an ad, ms, ascending; only lives that showed one. */
  readonly restartMs: readonly number[];
}

/** This share of the kills comes within `EARLY_WITHIN_MS` of the start, whatever the kiosk is doing. */
const EARLY_SHARE = 0.25;
const EARLY_WITHIN_MS = 1_500;
/** This share comes within `LATE_WITHIN_MS` after the books were read, the rest after the life's first ad. */
const UNSHOWN_SHARE = 0.25;
const LATE_WITHIN_MS = 3_000;
/** A native ad counts as seen after a second on the screen (rule 16): kills must also come around that moment. */
const NATIVE_EVERY_SLOTS = 2;
const NATIVE_CARD_SECONDS = 1.3;
/** A longer start is an error, ms: the machine may be busy. */
const STARTED_WITHIN_MS = 60_000;

/**
 * Kills a playing kiosk `kills` times, with all its processes, at random moments, and starts it again on the
 * same data folder. After each start, compares the books with everything observed before.
 *
 * @param options.seed of the random moments; the same seed gives the same moments
 */
export async function runKills(options: {
  readonly kills: number;
  readonly seed: number;
  readonly progress?: (words: string) => void;
}): Promise<KillReport> {
  const random = seededRandom(options.seed);
  const folder = dataFolder();
  const service = await startDemoService();
  const playlist = acceleratedPlaylist(service);
  const settings = {
    ...kioskSettings(service),
    native: { ...service.settings().native, everySlots: NATIVE_EVERY_SLOTS },
    // Applies to native cards only; the playlist's ads have durations of their own.
    playback: { imageSeconds: NATIVE_CARD_SECONDS },
  };
  const seen = new Map<string, Play>();
  const found = {
    capsExceeded: new Set<string>(),
    playsLost: new Set<string>(),
    countersWrong: new Set<string>(),
    sentTwice: new Set<string>(),
    confessed: new Set<string>(),
  };
  const spawned: number[] = [];
  let killsAtStart = 0;
  let tornLogs = 0;

  /** Waits until the books exist and the API answers, and compares both with the evidence. */
  async function examine(victim: Victim): Promise<void> {
    const deadline = Date.now() + STARTED_WITHIN_MS;
    for (;;) {
      // Reads the collector first: books that are read later must contain its plays.
      const impressions = playlist.impressions();
      const books = await victim.books().catch(() => null);
      const status = await signalsCaller(folder.path)
        .status()
        .catch(() => null);
      if (books && status?.books) {
        const judgement = judge({ books, impressions, seenBefore: seen, capsOf: playlist.capsOf });
        for (const kind of ['capsExceeded', 'playsLost', 'countersWrong', 'sentTwice'] as const)
          for (const words of judgement[kind]) found[kind].add(words);
        const lost = Object.entries(status.books.lost).filter(([, number]) => number > 0);
        for (const [what, number] of lost) found.confessed.add(`${what}: ${number}`);
        if (lost.length > 0) found.confessed.add(victim.output());
        for (const play of books.plays) seen.set(play.id, play);
        return;
      }
      if (!victim.isRunning()) throw new Error(`the kiosk ended by itself:\n${victim.output()}`);
      if (Date.now() > deadline) throw new Error(`the kiosk did not start:\n${victim.output()}`);
      await sleep(50);
    }
  }

  /** Waits until the collector has received more impressions than `before`. */
  async function expectImpression(victim: Victim, before: number): Promise<void> {
    const deadline = Date.now() + STARTED_WITHIN_MS;
    while (playlist.impressions().length <= before) {
      if (Date.now() > deadline) throw new Error(`the kiosk shows nothing:\n${victim.output()}`);
      await sleep(50);
    }
  }

  let victim: Victim | null = null;
  try {
    for (let life = 0; life < options.kills; life += 1) {
      playlist.serve(life);
      victim = startVictim(folder.path, settings);
      spawned.push(victim.spawnedAt);
      const before = playlist.impressions().length;
      // The first life must show an ad, or there would be nothing to lose.
      const kind = life === 0 ? 1 : random();
      if (kind < EARLY_SHARE) {
        killsAtStart += 1;
        await sleep(random() * EARLY_WITHIN_MS);
      } else {
        await examine(victim);
        if (kind > EARLY_SHARE + UNSHOWN_SHARE) await expectImpression(victim, before);
        await sleep(random() * LATE_WITHIN_MS);
      }
      await victim.killTree();
      if (victim.output().includes('the torn end of a database log was cut off')) tornLogs += 1;
      const violations = Object.values(found).reduce((sum, words) => sum + words.size, 0);
      options.progress?.(
        `kill ${life + 1} of ${options.kills}, ${seen.size} plays, ${violations} violations`,
      );
    }
    // The last life plays on and exits normally; its books are examined once more.
    playlist.serve(options.kills);
    victim = startVictim(folder.path, settings);
    spawned.push(victim.spawnedAt);
    const before = playlist.impressions().length;
    await examine(victim);
    await expectImpression(victim, before);
    await sleep(LATE_WITHIN_MS);
    const exitCode = await victim.terminate();
    if (exitCode !== 0) found.confessed.add(`exit code ${exitCode} at an orderly end`);
    victim = startVictim(folder.path, settings);
    spawned.push(victim.spawnedAt);
    await examine(victim);
  } finally {
    await victim?.killTree();
    await service.close();
    folder.remove();
  }

  const impressions = playlist.impressions();
  const plays = [...seen.values()];
  const urls = playlist.beaconUrls();
  for (const url of urls.filter((one, index) => urls.indexOf(one) !== index)) found.sentTwice.add(url);
  return {
    kills: options.kills,
    killsAtStart,
    plays: plays.length,
    unsettled: plays.filter(({ outcome }) => outcome === 'unknown').length,
    tornLogs,
    impressions: impressions.length,
    nativeImpressions: urls.filter((url) => url.includes('/collect/native/')).length,
    capsReached: [...playlist.capsOf].filter(([flightId, caps]) =>
      caps.some(({ limit }) => plays.filter((play) => play.flightId === flightId).length >= limit),
    ).length,
    capsExceeded: [...found.capsExceeded],
    playsLost: [...found.playsLost],
    countersWrong: [...found.countersWrong],
    sentTwice: [...found.sentTwice],
    confessed: [...found.confessed],
    restartMs: restartTimes(
      spawned,
      impressions.map(({ shownAt }) => shownAt),
    ),
  };
}

/** Time from each start to the first frame before the next start, ms, ascending. */
function restartTimes(spawned: readonly number[], shown: readonly number[]): number[] {
  return spawned
    .flatMap((at, life) => {
      const end = spawned[life + 1] ?? Number.POSITIVE_INFINITY;
      const first = Math.min(...shown.filter((time) => time >= at && time < end));
      return Number.isFinite(first) ? [first - at] : [];
    })
    .sort((one, other) => one - other);
}
