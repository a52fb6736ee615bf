import type { Beacon, BeaconProgress, PlayBeacons } from '../../shared/beacon';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import {
  MOST_HOSTS_AT_ONCE,
  type RecordsCommand,
  type RecordsInput,
  type RecordsOutput,
} from '../../shared/records';
import { type Records, RecordsFault } from '../records/records-client';
import type { Schedule } from '../service/schedule';
import { createBeaconBudget, type UrlOrScript } from './beacon-budget';
import { createBeaconHosts, FAR_AHEAD_MS } from './beacon-hosts';
import type { SendBeacon } from './beacon-sender';
import { afterTry, expired, mustNotRepeat, retentionMs } from './delivery-policy';
import { type Firing, splitAsked, storedTogether } from './firing';
import type { JsGuests } from './js-guests';
import { eightDigits } from './macros';
import { type BeaconOccasion, newBeacons } from './new-beacons';
import { createRefusalLog } from './refusal-log';
import { newScriptBeacons, scriptEnded } from './script-beacons';

/** What a player fires its beacons through. */
export interface UrlBeacons {
  /**
   * Keeps a GET to each URL and sends it, after what was fired before for the
   * same play, so that a server sees impression, start and complete in that
   * order. Never waits and never throws: the slot goes on.
   *
   * @param play the play's id; null for an event of no play
   */
  fire(play: string | null, event: string, urls: readonly string[], errorCode?: number): void;
  /**
   * Takes up nothing stored from now on, and resolves when what was fired is
   * stored and what was under way has its answer, or after three seconds: the
   * rest goes out at the next start.
   */
  settled(): Promise<void>;
}

export type ConfirmingBeacon =
  | { readonly position: number; readonly url: string }
  | { readonly position: number; readonly script: string };

/** The beacons of one event of a native ad instance (rule 16). */
export interface Confirmation {
  readonly instance: string;
  /** `impression`, `click`, or an event of its VAST creative: each once per instance. */
  readonly kind: string;
  /** The play it is a proof of. */
  readonly play: string | null;
  /** By position in the ad's own list, so that duplicates count. A script runs once, and never again (rule 17). */
  readonly beacons: readonly ConfirmingBeacon[];
  /** VAST error code, for error URLs only. */
  readonly errorCode?: number;
}

/** Since the start, but for `pending`, which is what the store holds. */
export interface OutboxCounts {
  readonly sent: number;
  /** Refused or expired, or never stored. */
  readonly failed: number;
  readonly pending: number;
  /** May have arrived, and is not repeated. */
  readonly unknown: number;
  /** The part of `failed` whose time ran out. */
  readonly expired: number;
  /** The part of `failed` that the books lost or never took. */
  readonly lost: number;
}

/** Durable delivery of beacons (rules 15 and 16). */
export interface Outbox extends UrlBeacons {
  /** Takes up what earlier runs left, of every environment (rule 26). Resolves once that is known. */
  open(): Promise<void>;
  /** The records window came back: what it lost is told in numbers, the rest goes on. */
  reopen(): Promise<void>;
  /**
   * Confirms an event of an instance, once for ever, restarts included. True:
   * confirmed by this very call, its beacons are on their way and its scripts
   * run. False: it was confirmed before, or the books could not take it; nothing
   * is sent or run. Never rejects.
   */
  confirmOnce(confirmation: Confirmation): Promise<boolean>;
  counts(): OutboxCounts;
  /** What became of the beacons of these plays, for proof of play. */
  resultsOf(playIds: readonly string[]): Promise<PlayBeacons[]>;
}

export interface OutboxParts {
  readonly records: Records;
  readonly send: SendBeacon;
  readonly runScript: JsGuests['run'];
  readonly clock: Clock;
  readonly schedule: Schedule;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly newId: () => string;
  readonly log: Log;
  readonly environment: string;
  /** With one the server counts a repeat once; without one nothing in doubt is repeated (rule 15). */
  readonly eventTimeParam: string | null;
}

/** Stored beacons are drained one in so many ms on average, two at once at the most. */
const DRAIN_PACE_MS = 200;
const DRAIN_AT_ONCE = 2;
/** Kiosks that start together do not drain together, ms. */
const START_SPREAD_MS = 2_000;
/** Live beacons under way at once; those beyond wait in the store. */
const LIVE_AT_ONCE = 32;
/** Longest wait until waiting beacons are looked at again, ms: clocks may jump. */
const LONGEST_WAIT_MS = 60_000;
/** Pause after the books refused a command, ms. */
const BOOKS_RETRY_MS = 1_000;
/** Beacons kept in memory while the books take none, besides the latest event's; the oldest beyond are lost, and counted. */
const MOST_UNSTORED = 5_000;
const MOST_UNSTORED_BYTES = 33_554_432;
const SETTLED_AT_ONCE = 500;
/** How long the end of the process waits for answers, ms. */
const LAST_ANSWERS_MS = 3_000;
/** Plays remembered because a beacon of theirs waits: their later ones queue up behind it. */
const MOST_BACKLOGGED_PLAYS = 100;

const HOUSEKEEPING_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Waiting beacons at most, as out-of-home players keep them. */
const KEEP_WAITING = 300_000;
const KEEP_WAITING_BYTES = 268_435_456;
/** Ended beacons are kept a day, to answer what became of one. */
const KEEP_ENDED_MS = 24 * HOUR_MS;
const KEEP_ENDED = 20_000;
/**
 * An instance is minted at receipt, never stored and not shown later than 30
 * minutes after: a day is beyond any clock's correction.
 */
const KEEP_CONFIRMED_MS = 25 * HOUR_MS;
/** As long as the plays themselves. */
const KEEP_RESULTS_MS = 90 * 24 * HOUR_MS;
/** Few at once: reservations queue behind each portion. */
const HOUSEKEEPING_AT_ONCE = 200;

/**
 * The outbox. Every beacon is stored, then tried. A live beacon is tried at once;
 * while its host fails, or an earlier beacon of its play waits, it stays in the
 * store. What is stored is drained by hosts, oldest first, at a pace of its own,
 * so that a backlog keeps no live beacon waiting.
 */
export function createOutbox(parts: OutboxParts): Outbox {
  const { records, clock, random, log } = parts;
  const hosts = createBeaconHosts(clock, random, log);
  /** Beacons that a lane holds, from their storing to their settling: the drain keeps off them. */
  const inHand = new Set<string>();
  const playQueues = new Map<string, Promise<void>>();
  const backloggedPlays = new Set<string>();
  const toSettle = new Map<string, { readonly beacon: Beacon; readonly progress: BeaconProgress }>();
  const budget = createBeaconBudget();
  const refusals = createRefusalLog(log);
  const unstored: Firing[] = [];
  let unstoredBeacons = 0;
  let unstoredBytes = 0;
  let isOpen = false;
  let isStoring = false;
  let isSettling = false;
  let isAsking = false;
  let isEnding = false;
  let liveUnderWay = 0;
  let drainUnderWay = 0;
  let drainNotBefore = 0;
  let cancelWake: (() => void) | null = null;
  let onQuiet: (() => void) | null = null;
  /** The store knows hosts that were not taken up in this round; the next page of them is behind this host. */
  let areSomeLeft = false;
  let nextHostsAfter = '';
  let leftOutBefore = 0;
  let tellOpened = () => {};
  const opened = new Promise<void>((resolve) => {
    tellOpened = resolve;
  });
  const count = { sent: 0, failed: 0, pending: 0, unknown: 0, expired: 0, lost: 0 };

  /**
   * Runs a command that may be repeated until the books have carried it out; rejects only if they never will.
   * Every try says anew what it says: meanwhile things go on.
   */
  async function insist<C extends RecordsCommand>(
    command: C,
    input: () => RecordsInput<C>,
    until = () => true,
  ): Promise<RecordsOutput<C>> {
    for (;;) {
      try {
        return await records.run(command, input());
      } catch (fault) {
        const isTransient =
          fault instanceof RecordsFault && ['lost', 'timeout', 'storage'].includes(fault.code);
        if (!isTransient || !until()) throw fault;
        log.warn('the outbox waits for the books', { command, fault });
        await new Promise<void>((resolve) => parts.schedule(BOOKS_RETRY_MS, resolve));
      }
    }
  }

  function lose(beacons: number, why: string, fault?: unknown): void {
    count.lost += beacons;
    count.failed += beacons;
    log.error('beacons are lost', { beacons, why, fault });
  }

  // Storing: in the order of the events, what came together in one transaction.

  /** The beacons of a list that fit the budget of its play; those beyond are counted as lost, and logged once for a play. */
  function withinBudget<Asked extends UrlOrScript>(
    payer: string | null,
    event: string,
    asked: readonly Asked[],
  ): readonly Asked[] {
    const { admitted, tooLong, overBudget, isFirstRefusal } = budget.admit(payer, asked);
    count.lost += tooLong + overBudget;
    count.failed += tooLong + overBudget;
    if (isFirstRefusal) {
      log.warn('an ad has more beacons than the budget of a play allows: the rest is not sent', {
        event,
        beacons: asked.length,
        tooLong,
        overBudget,
      });
    }
    return admitted;
  }

  function keep(firings: readonly Firing[]): void {
    const earlier = unstored.length;
    for (const firing of firings) {
      unstored.push(firing);
      noteUnstored(firing, 1);
      count.pending += firing.asked.length;
    }
    dropOldest(earlier);
    // After the current event is through: the slot does not wait for this.
    queueMicrotask(() => void store());
  }

  /** Drops the oldest of the first `droppable` firings while there are too many: the latest event stays whole. */
  function dropOldest(droppable: number): void {
    let left = droppable;
    let dropped = 0;
    while (left > 0 && (unstoredBeacons > MOST_UNSTORED || unstoredBytes > MOST_UNSTORED_BYTES)) {
      const oldest = unstored.shift();
      if (!oldest) break;
      noteUnstored(oldest, -1);
      dropped += oldest.asked.length;
      left -= 1;
    }
    if (dropped === 0) return;
    count.pending -= dropped;
    lose(dropped, 'the books take no beacons');
  }

  function noteUnstored({ asked, bytes }: Firing, sign: 1 | -1): void {
    unstoredBeacons += sign * asked.length;
    unstoredBytes += sign * bytes;
  }

  async function store(): Promise<void> {
    if (isStoring || !isOpen) return;
    isStoring = true;
    while (unstored.length > 0) {
      const batch = takeBatch().map(({ play, asked, occasion }) => ({
        play,
        beacons: newBeacons(asked, occasion, parts.newId),
      }));
      const beacons = batch.flatMap((firing) => firing.beacons);
      for (const { id } of beacons) inHand.add(id);
      try {
        await insist('storeBeacons', () => ({ beacons }));
        for (const firing of batch) goLive(firing);
      } catch (fault) {
        for (const { id } of beacons) inHand.delete(id);
        count.pending -= beacons.length;
        lose(beacons.length, 'the books refuse them', fault);
      }
    }
    isStoring = false;
    tellIfQuiet();
  }

  function takeBatch(): Firing[] {
    const batch = unstored.splice(0, storedTogether(unstored));
    for (const firing of batch) noteUnstored(firing, -1);
    return batch;
  }

  // The live lane: at once, in the order of each play.

  function goLive({ play, beacons }: { play: string | null; beacons: readonly Beacon[] }): void {
    const key = play ?? beacons[0]?.id ?? '';
    const before = playQueues.get(key) ?? Promise.resolve();
    const done = before
      .then(() => sendLive(beacons))
      .then(() => {
        if (playQueues.get(key) === done) playQueues.delete(key);
        tellIfQuiet();
      });
    playQueues.set(key, done);
  }

  async function sendLive(beacons: readonly Beacon[]): Promise<void> {
    const live = beacons.filter((beacon) => {
      const isLive =
        liveUnderWay < LIVE_AT_ONCE &&
        hosts.answers(beacon.host) &&
        !backloggedPlays.has(orderedBy(beacon) ?? '');
      if (isLive) liveUnderWay += 1;
      else leaveInStore(beacon, beacon.dueAt);
      return isLive;
    });
    try {
      const claimed = await claim(live);
      await Promise.all(claimed.map(attempt));
    } finally {
      liveUnderWay -= live.length;
    }
  }

  /** Out of a lane's hand: the drain will come to it. */
  function leaveInStore(beacon: Beacon, dueAt: number): void {
    inHand.delete(beacon.id);
    noteBacklogged(beacon);
    hosts.awaits(beacon.host, dueAt);
    drain();
  }

  function noteBacklogged(beacon: Beacon): void {
    const playId = orderedBy(beacon);
    if (playId === null) return;
    backloggedPlays.delete(playId);
    backloggedPlays.add(playId);
    for (const oldest of backloggedPlays) {
      if (backloggedPlays.size <= MOST_BACKLOGGED_PLAYS) break;
      backloggedPlays.delete(oldest);
    }
  }

  // One try.

  /** Stores `sending` where a try must not be repeated blindly; answers which beacons may be tried. */
  async function claim(beacons: readonly Beacon[]): Promise<Beacon[]> {
    const once = beacons.filter(({ policy }) => mustNotRepeat(policy));
    if (once.length === 0) return [...beacons];
    try {
      const ids = new Set(await records.run('startSending', { ids: once.map(({ id }) => id) }));
      for (const beacon of once) {
        if (ids.has(beacon.id)) continue;
        inHand.delete(beacon.id);
        count.pending -= 1;
        lose(1, 'the books do not know it any more');
      }
      return beacons.filter(({ id, policy }) => !mustNotRepeat(policy) || ids.has(id));
    } catch (fault) {
      // Perhaps it is `sending` in the books now. Nothing has left: back to waiting.
      log.warn('a send could not be noted; it waits', { fault });
      for (const beacon of once) settle(beacon, { ...beacon, state: 'waiting', lastError: 'books' });
      return beacons.filter(({ policy }) => !mustNotRepeat(policy));
    }
  }

  async function attempt(beacon: Beacon): Promise<void> {
    const ended = hosts.begin(beacon.host);
    const result = await parts.send(beacon.url);
    ended(result);
    const progress = afterTry(beacon, result, { now: clock.now(), random });
    settle(beacon, progress);
    if (progress.state === 'waiting' || progress.state === 'sent') return;
    refusals.note(beacon, progress);
  }

  async function run(beacon: Beacon, script: string): Promise<void> {
    const { instance, position } = beacon;
    const outcome = await parts.runScript(script, { instance: instance ?? '', position });
    settle(beacon, scriptEnded(beacon, outcome, clock.now()));
  }

  // Settling: what became of tries, several in one transaction.

  function settle(beacon: Beacon, progress: BeaconProgress): void {
    toSettle.set(beacon.id, { beacon, progress });
    const { state } = progress;
    if (state === 'waiting') {
      noteBacklogged(beacon);
    } else {
      count.pending -= 1;
      if (state === 'sent') count.sent += 1;
      else if (state === 'unknown') count.unknown += 1;
      else count.failed += 1;
      if (state === 'expired') count.expired += 1;
    }
    queueMicrotask(() => void storeSettled());
  }

  async function storeSettled(): Promise<void> {
    if (isSettling) return;
    isSettling = true;
    while (toSettle.size > 0) {
      const batch = [...toSettle.values()].slice(0, SETTLED_AT_ONCE);
      const settled = batch.map(({ beacon, progress }) => progressOf(beacon.id, progress));
      try {
        await insist('settleBeacons', () => ({ settled }));
      } catch (fault) {
        log.error('what became of beacons could not be stored', { beacons: batch.length, fault });
      }
      for (const { beacon, progress } of batch) {
        toSettle.delete(beacon.id);
        if (progress.state === 'waiting') leaveInStore(beacon, progress.dueAt);
        else inHand.delete(beacon.id);
      }
    }
    isSettling = false;
    drain();
    tellIfQuiet();
  }

  // The drain: what waits in the store, oldest first.

  function wakeIn(ms: number): void {
    cancelWake?.();
    cancelWake = parts.schedule(Math.min(Math.max(1, ms), LONGEST_WAIT_MS), () => {
      cancelWake = null;
      drain();
    });
  }

  function drain(): void {
    if (!isOpen || isEnding || isAsking || drainUnderWay >= DRAIN_AT_ONCE) return;
    const now = clock.monotonic();
    if (now < drainNotBefore) {
      wakeIn(drainNotBefore - now);
      return;
    }
    const host = hosts.next();
    if (host === null) {
      const wait = hosts.wait();
      if (wait !== null) wakeIn(wait);
      return;
    }
    // Half to one and a half times the pace, so that kiosks fall out of step.
    drainNotBefore = now + DRAIN_PACE_MS * (0.5 + random());
    drainUnderWay += 1;
    void drainOne(host).finally(() => {
      drainUnderWay -= 1;
      drain();
      tellIfQuiet();
    });
  }

  async function drainOne(host: string): Promise<void> {
    const beacon = await oldestDue(host);
    drain();
    if (!beacon) return;
    if (beacon.expiresAt <= clock.now()) {
      settle(beacon, expired(beacon, clock.now()));
      return;
    }
    for (const claimed of await claim([beacon])) await attempt(claimed);
  }

  async function oldestDue(host: string): Promise<Beacon | null> {
    isAsking = true;
    // Whatever starts to wait while the store is asked is noted anew.
    hosts.forgetWaiting(host);
    try {
      const now = clock.now();
      const { due, nextDueAt } = await records.run('dueBeacons', {
        host,
        now,
        farAhead: now + FAR_AHEAD_MS,
        inHand: [...inHand],
        limit: 1,
      });
      if (nextDueAt !== null) hosts.awaits(host, nextDueAt);
      const [beacon] = due;
      if (!beacon) return null;
      inHand.add(beacon.id);
      return beacon;
    } catch (fault) {
      log.warn('the outbox waits for the books', { command: 'dueBeacons', fault });
      hosts.awaits(host, clock.now());
      drainNotBefore = clock.monotonic() + BOOKS_RETRY_MS;
      return null;
    } finally {
      isAsking = false;
    }
  }

  // Opening, housekeeping, ending.

  async function takeUp(): Promise<number> {
    const opened = await insist('openOutbox', () => ({ now: clock.now(), stillSending: [...inHand] }));
    takeHosts(opened.hosts);
    areSomeLeft = nextHostsAfter !== '';
    count.unknown += opened.interrupted;
    if (opened.interrupted > 0) {
      log.warn('sends were interrupted; whether they arrived is unknown', { beacons: opened.interrupted });
    }
    return opened.pending;
  }

  /** Takes up a page of the hosts that the store knows; where it was the last, the first comes next. */
  function takeHosts(page: RecordsOutput<'waitingHosts'>): void {
    for (const { host, dueAt } of page) hosts.awaits(host, dueAt);
    nextHostsAfter = page.length < MOST_HOSTS_AT_ONCE ? '' : (page.at(-1)?.host ?? '');
  }

  /** Hosts that memory has no room for take turns in it, page by page, until a whole round left none out. */
  async function takeUpHostsLeftOut(): Promise<void> {
    if (!areSomeLeft && hosts.leftOut() === leftOutBefore) return;
    if (nextHostsAfter === '') leftOutBefore = hosts.leftOut();
    areSomeLeft = true;
    takeHosts(await records.run('waitingHosts', { after: nextHostsAfter }));
    if (nextHostsAfter === '') areSomeLeft = false;
    drain();
  }

  function everyMinute(): void {
    parts.schedule(HOUSEKEEPING_MS, () => {
      refusals.tellRest();
      houseKeeping()
        .then(takeUpHostsLeftOut)
        .catch((fault: unknown) => log.error('the outbox could not be tidied', { fault }))
        .finally(() => {
          if (!isEnding) everyMinute();
        });
    });
  }

  async function houseKeeping(): Promise<void> {
    const now = clock.now();
    const limit = HOUSEKEEPING_AT_ONCE;
    for (let ended = limit; ended === limit; ) {
      ended = await records.run('expireBeacons', {
        now,
        keep: KEEP_WAITING,
        keepBytes: KEEP_WAITING_BYTES,
        inHand: [...inHand],
        limit,
      });
      count.pending -= ended;
      count.expired += ended;
      count.failed += ended;
      if (ended > 0) log.warn('beacons came to the end of their time unsent', { beacons: ended });
    }
    while (
      (await records.run('pruneBeacons', {
        endedBefore: now - KEEP_ENDED_MS,
        keepEnded: KEEP_ENDED,
        confirmedBefore: now - KEEP_CONFIRMED_MS,
        playedBefore: now - KEEP_RESULTS_MS,
        limit,
      })) > 0
    );
  }

  const isQuiet = () => unstored.length === 0 && !isStoring && inHand.size === 0 && toSettle.size === 0;

  function tellIfQuiet(): void {
    if (isQuiet()) onQuiet?.();
  }

  function moment(errorCode: number | undefined) {
    return { at: clock.now(), cacheBuster: eightDigits(random), errorCode: errorCode ?? null };
  }

  return {
    fire(play, event, urls, errorCode) {
      if (urls.length === 0) return;
      const { environment, eventTimeParam } = parts;
      const occasion: BeaconOccasion = {
        environment,
        policy: eventTimeParam === null ? 'at-most-once' : 'at-least-once',
        event,
        moment: moment(errorCode),
        eventTimeParam,
        playId: play,
        instance: null,
      };
      const listed = urls.map((url, position) => ({ position, url }));
      const split = splitAsked(withinBudget(play, event, listed));
      keep(split.map(({ asked, bytes }) => ({ play, occasion, asked, bytes })));
    },

    async confirmOnce({ instance, kind, play, beacons: listed, errorCode }) {
      const now = moment(errorCode);
      const occasion: BeaconOccasion = {
        environment: parts.environment,
        policy: 'once',
        event: kind,
        moment: now,
        eventTimeParam: null,
        playId: play,
        instance,
      };
      const expiresAt = now.at + retentionMs(occasion.policy);
      const inTime = () => !isEnding && clock.now() < expiresAt;
      const by = parts.newId();

      /** Stores a part by the command and sets it going; false: the books had a confirmation already, or took none. */
      async function take(
        asked: readonly ConfirmingBeacon[],
        put: (beacons: Beacon[]) => Promise<boolean>,
      ): Promise<boolean> {
        const urls = newBeacons(
          asked.filter((beacon) => 'url' in beacon),
          occasion,
          parts.newId,
        );
        const scripts = asked.filter((beacon) => 'script' in beacon);
        const running = newScriptBeacons(scripts, occasion, parts.newId);
        const beacons = [...urls, ...running];
        for (const { id } of beacons) inHand.add(id);
        count.pending += beacons.length;
        const letGo = () => {
          for (const { id } of beacons) inHand.delete(id);
          count.pending -= beacons.length;
          tellIfQuiet();
        };
        try {
          if (await put(beacons)) {
            // Behind what the same instance confirmed before.
            if (urls.length > 0) goLive({ play: `instance ${instance}`, beacons: urls });
            for (const [index, beacon] of running.entries()) void run(beacon, scripts[index]?.script ?? '');
            return true;
          }
          letGo();
        } catch (fault) {
          letGo();
          lose(beacons.length, 'the books took no confirmation', fault);
        }
        return false;
      }

      await opened;
      const [first, ...others] = splitAsked(withinBudget(`instance ${instance}`, kind, listed));
      const isConfirmed = await take(first?.asked ?? [], (beacons) => {
        const input = { instance, kind, by, at: now.at, beacons };
        return insist('confirmOnce', () => input, inTime);
      });
      if (!isConfirmed) return false;
      for (const { asked } of others) {
        await take(asked, async (beacons) => {
          await insist('storeBeacons', () => ({ beacons }), inTime);
          return true;
        });
      }
      return true;
    },

    async open() {
      everyMinute();
      drainNotBefore = clock.monotonic() + random() * START_SPREAD_MS;
      count.pending += await takeUp();
      isOpen = true;
      tellOpened();
      void store();
      drain();
    },

    async reopen() {
      if (!isOpen) return;
      const known = count.pending - unstoredBeacons - inHand.size;
      const missing = known - (await takeUp());
      if (missing > 0) {
        count.pending -= missing;
        lose(missing, 'the records window came back without them');
      }
      drain();
    },

    async settled() {
      isEnding = true;
      cancelWake?.();
      refusals.tellRest();
      if (isQuiet()) return;
      await new Promise<void>((resolve) => {
        onQuiet = resolve;
        parts.schedule(LAST_ANSWERS_MS, resolve);
      });
    },

    counts: () => ({ ...count, pending: Math.max(0, count.pending) }),
    resultsOf: (playIds) => records.run('playBeacons', { playIds: [...playIds] }),
  };
}

/** The play whose beacons it keeps the order of. Confirmations are for now or never: they wait for no other. */
function orderedBy({ policy, playId }: Beacon): string | null {
  return policy === 'once' ? null : playId;
}

function progressOf(id: string, progress: BeaconProgress): BeaconProgress & { id: string } {
  const { state, attempts, dueAt, lastError, finishedAt, script } = progress;
  return { id, state, attempts, dueAt, lastError, finishedAt, ...(script ? { script } : {}) };
}
