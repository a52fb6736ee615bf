import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDemoService } from '../../main/demo-service/demo-service';
import type { StatusJson } from '../../main/status/status';
import type { Play } from '../../shared/play';
import { askKiosk } from '../ask-kiosk';
import { dataFolder } from '../kiosk';
import { seededRandom } from '../seeded-random';
import { kioskSettings } from '../two-creatives';
import { until } from '../until';
import { acceleratedPlaylist } from './accelerated-playlist';
import { type Judgement, judge } from './judgement';
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
  /** What must be empty after a run. */
  readonly found: Readonly<Record<keyof Judgement | 'sentTwice' | 'confessed', ReadonlySet<string>>>;
  /** Time from process start to the first frame of an ad, ms; only lives that showed one. */
  readonly restartMs: readonly number[];
}

const KINDS = ['capsExceeded', 'playsLost', 'countersWrong'] as const;
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
 * @param options.tearsLogs also tears the database's log after each kill
 */
export async function runKills(options: {
  readonly kills: number;
  readonly seed: number;
  readonly tearsLogs?: boolean;
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
    /** Losses and repairs that the kiosk itself reported. */
    confessed: new Set<string>(),
  };
  const spawned: number[] = [];
  let killsAtStart = 0;
  let tornLogs = 0;

  function start(life: number): Victim {
    playlist.serve(life);
    const started = startVictim(folder.path, settings);
    spawned.push(started.spawnedAt);
    return started;
  }

  /** Waits until the books exist and the API answers, and compares both with the evidence. */
  async function examine(victim: Victim): Promise<void> {
    const isExamined = async () => {
      // Reads the collector first: books that are read later must contain its plays.
      const impressions = playlist.impressions();
      const books = await victim.books();
      const { books: told } = (await (await askKiosk(folder.path, '/v1/status')).json()) as StatusJson;
      if (!books || !told) return false;
      const judgement = judge({ books, impressions, seenBefore: seen, capsOf: playlist.capsOf });
      for (const kind of KINDS) for (const words of judgement[kind]) found[kind].add(words);
      const lost = Object.entries(told.lost).filter(([, number]) => number > 0);
      for (const [what, number] of lost) found.confessed.add(`${what}: ${number}`);
      if (lost.length > 0) found.confessed.add(victim.output());
      for (const play of books.plays) seen.set(play.id, play);
      return true;
    };
    await until(isExamined, STARTED_WITHIN_MS, () => `a start of the kiosk:\n${victim.output()}`);
  }

  /** Waits until the collector has received more impressions than `before`. */
  const expectImpression = (victim: Victim, before: number) =>
    until(
      () => playlist.impressions().length > before,
      STARTED_WITHIN_MS,
      () => `an ad on the screen:\n${victim.output()}`,
    );

  let victim: Victim | null = null;
  try {
    for (let life = 0; life < options.kills; life += 1) {
      victim = start(life);
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
      if (victim.output().includes('Corruption')) found.confessed.add(victim.output());
      if (options.tearsLogs) tearLog(join(folder.path, 'IndexedDB'));
      const violations = Object.values(found).reduce((sum, words) => sum + words.size, 0);
      options.progress?.(
        `kill ${life + 1} of ${options.kills}, ${seen.size} plays, ${violations} violations`,
      );
    }
    // The last life plays on and exits normally; its books are examined once more.
    victim = start(options.kills);
    const before = playlist.impressions().length;
    await examine(victim);
    await expectImpression(victim, before);
    await sleep(LATE_WITHIN_MS);
    const exitCode = await victim.terminate();
    if (exitCode !== 0) found.confessed.add(`exit code ${exitCode} at an orderly end`);
    victim = start(options.kills);
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
      caps.some(
        ({ limit }) => limit > 0 && plays.filter((play) => play.flightId === flightId).length >= limit,
      ),
    ).length,
    found,
    restartMs: restartTimes(
      spawned,
      impressions.map(({ shownAt }) => shownAt),
    ),
  };
}

/** Time from each start to the first frame before the next start, ms. */
function restartTimes(spawned: readonly number[], shown: readonly number[]): number[] {
  return spawned.flatMap((at, life) => {
    const end = spawned[life + 1] ?? Number.POSITIVE_INFINITY;
    const first = Math.min(...shown.filter((time) => time >= at && time < end));
    return Number.isFinite(first) ? [first - at] : [];
  });
}

/** Appends the beginning of a record to the newest log, as a kill during a write does. */
function tearLog(directory: string): void {
  const database = readdirSync(directory).find((name) => name.endsWith('.leveldb')) ?? '';
  const log = readdirSync(join(directory, database))
    .filter((name) => name.endsWith('.log'))
    .sort()
    .at(-1);
  // A checksum, a length of a thousand bytes, the type of a full record, and a tenth of its content.
  const begun = Buffer.concat([Buffer.from([1, 2, 3, 4, 0xe8, 0x03, 1]), Buffer.alloc(100, 7)]);
  appendFileSync(join(directory, database, log ?? ''), begun);
}
