import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../../../shared/log';
import type { Showing } from '../../../../shared/play';
import { anOperator } from '../../../fleet/link/testing/operator';
import type { PlayerFact } from '../../../playback/player-fact';
import { handTurnedTime } from '../../../service/testing/hand-turned-time';
import { createStatusBoard } from '../../../status/status-board';
import type { SettingsSearch } from '../../find-settings';
import type { Json } from '../../json-values';
import { createLiveSettings } from '../../live-settings';
import { locateSettings } from '../../locate-settings';
import type { Settings } from '../../settings';
import { checkRemote, readTogether } from '../read-with-remote';
import { remoteSettingsStatus } from '../remote-settings';
import { openRemoteSettings, type RemoteSettingsStore } from '../remote-settings-store';
import { answerTo, startRemoteTrials } from '../remote-trials';

const FILE = '/etc/endcap/config.json';
const operator = anOperator();
const FLEET = { brokers: ['mqtts://broker.example'], commandKeys: [operator.publicKey] };
const OWN = {
  service: { baseUrl: 'https://ads.example.com' },
  ads: { authentication: 'none' },
  fleet: FLEET,
};

/** An ad or the brand card begins. */
const shows = (delivery: Showing['delivery']): PlayerFact => ({
  kind: 'showing',
  showing: {
    delivery,
    adId: null,
    flightId: null,
    campaignId: null,
    sourceId: null,
    mediaUrl: null,
    at: 0,
    durationMs: null,
  },
  files: [],
  drawn: [],
  moving: false,
});

/**
 * A kiosk that accepts remote settings, in several runs on one data folder. It plays ads unless `isBroken`
 * returns true for its settings. A restart that it requests happens at once.
 */
export function remoteWorld(
  isBroken: (ads: Pick<Settings['ads'], 'refreshSeconds' | 'sourceWeights'>) => boolean,
) {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-remote-'));
  const path = join(folder, 'fleet-settings.json');
  const time = handTurnedTime();
  const replies = new Map<string, string>();
  /** Why documents were refused after their trial; null: they are kept. */
  const reasons = new Map<string, string | null>();
  const recorded: string[] = [];
  let text = JSON.stringify(OWN);
  let hold: string | null = null;
  let isOnline = true;
  let kiosk = '00112233aabbccdd';
  /** Who signed the settings for which the kiosk has requested a restart, each time. */
  const restarts: string[] = [];
  let run: Awaited<ReturnType<typeof start>> | null = null;

  const search: SettingsSearch = {
    configPath: FILE,
    env: {},
    platform: 'linux',
    dataDir: folder,
    openSealed: null,
    readFile: async () => ({ text, readableBy: 'kiosk' }),
  };

  /** Resolves when the disk takes writes. */
  let disk = Promise.resolve();
  /** The next write fails once this resolves; null: it does not. */
  let nextFails: Promise<void> | null = null;
  /** Resolves when the write that fails has failed: writes come one after the other. */
  let hasFailed = Promise.resolve();
  /** Carries a write out, unless it is to fail. */
  function written(work: () => Promise<void>): Promise<void> {
    if (nextFails === null) return watched(hasFailed.then(work).then(() => disk));
    const failing = nextFails.then(() => {
      throw new Error('the disk is full');
    });
    nextFails = null;
    hasFailed = failing.catch(() => {});
    return watched(failing);
  }
  /** Writes that are not finished yet. */
  const storing = new Set<Promise<void>>();
  function watched(work: Promise<void>): Promise<void> {
    storing.add(work);
    const over = () => void storing.delete(work);
    work.then(over, over);
    return work;
  }

  async function start(isHeldLate: boolean) {
    const file = await openRemoteSettings(path, time.clock.now, silentLog);
    const kept: RemoteSettingsStore = {
      now: file.now,
      change: (step) => written(() => file.change(step)),
      changeEvenIfNotStored: (step) => written(() => file.changeEvenIfNotStored(step)),
    };
    const located = await locateSettings(search, search.readFile);
    const { result, setAside } = await readTogether(kept, located, search, time.clock.now);
    if (result.kind !== 'settings') throw new Error('the file is wrong');
    const { settings } = result;
    const live = createLiveSettings(settings);
    const board = createStatusBoard(time.clock);
    if (isHeldLate) board.tell(shows('offline'));
    if (hold !== null) board.tell({ kind: 'held', reason: hold });
    const state = { restarts: false, isOver: false };
    const standing = () => remoteSettingsStatus(kept.now(), setAside);
    let told = standing();
    const trials = startRemoteTrials({
      kiosk,
      kept,
      setAside,
      live,
      clock: time.clock,
      log: silentLog,
      // A process that has ended runs no timers.
      schedule: (ms, work) => time.schedule(ms, () => void (state.isOver || work())),
      check: (document) => checkRemote(document, search),
      onScreen: board.told,
      restart(by) {
        restarts.push(by);
        state.restarts = true;
      },
      changed() {
        told = standing();
      },
    });
    trials.onEnded((ending) => {
      const { jti, error, isRecorded } = ending;
      if (!isRecorded) recorded.push(jti);
      replies.set(jti, error ?? 'done');
      const answer = answerTo(ending);
      reasons.set(jti, answer.state === 'done' ? null : answer.reason);
      if (isOnline) void trials.markAnswered(jti);
    });
    const tell = (fact: PlayerFact) => {
      board.tell(fact);
      trials.onPlayerFact(fact);
    };
    return { kept, settings, live, tell, state, trials, standing, told: () => told };
  }

  const current = () => {
    if (run === null) throw new Error('no run');
    return run;
  };
  async function settled(): Promise<void> {
    await time.settle();
    while (storing.size > 0) {
      await Promise.allSettled(storing);
      await time.settle();
    }
  }

  const world = {
    time,
    replies,
    reasons,
    recorded,
    operator,
    path,
    folder,
    kept: () => current().kept.now(),
    standing: () => current().standing(),
    /** The same as staff and operators see it: as it was at the last report of a change. */
    told: () => current().told(),
    inForce: () => ({
      refreshSeconds: current().settings.ads.refreshSeconds,
      weights: current().live.getState()['ads.sourceWeights'],
      language: current().settings.ui.language,
    }),
    /**
     * The process ends and another starts.
     *
     * @param isHeldLate the hold begins only when an ad is on the screen, but before there are trials
     */
    async restart(isHeldLate = false) {
      await settled();
      if (run) run.state.isOver = true;
      run = await start(isHeldLate);
      world.draw();
      await settled();
    },
    /** Shows the next slot. */
    draw() {
      const { settings, live } = current();
      const sourceWeights = live.getState()['ads.sourceWeights'];
      const fits = !isBroken({ ...settings.ads, sourceWeights });
      if (hold === null) current().tell(shows(fits ? 'offline' : null));
    },
    /** Shows the brand card instead of an ad. */
    drawCard: () => current().tell(shows(null)),
    async send(settings: Json | null, iat: number, jti: string, aud = 'all') {
      const outcome = await world.sendBeforeRestart(settings, iat, jti, aud);
      await world.follow();
      return outcome;
    },
    /** A restart that it or an earlier document requests has yet to come. */
    async sendBeforeRestart(settings: Json | null, iat: number, jti: string, aud = 'all') {
      const by = operator.fingerprint;
      const outcome = await current().trials.take({ settings, iat, jti, aud, by });
      if (outcome.state !== 'later') replies.set(jti, outcome.state === 'done' ? 'done' : outcome.reason);
      return outcome;
    },
    /** Restarts if the kiosk has requested it. */
    async follow() {
      await settled();
      if (current().state.restarts) await world.restart();
    },
    async pass(ms: number) {
      await time.advance(ms);
      await world.follow();
    },
    /** From now on writes take until the returned function is called. */
    slowDisk(): () => void {
      let answers = () => {};
      disk = new Promise((resolve) => {
        answers = resolve;
      });
      return () => answers();
    },
    /** The next write fails when the returned function is called; later ones wait for it. */
    fullDisk(): () => void {
      let fails = () => {};
      nextFails = new Promise((resolve) => {
        fails = resolve;
      });
      return () => fails();
    },
    holdFor(reason: string | null) {
      hold = reason;
      current().tell({ kind: 'held', reason });
      // It takes the ad's place, until the next slot.
      if (reason !== null) world.drawCard();
    },
    /** From its next start on the kiosk has another name: its disk was copied, or its key was lost. */
    rename(name: string) {
      kiosk = name;
    },
    restarts: () => [...restarts],
    offline(isAway: boolean) {
      isOnline = !isAway;
    },
    file(change: object) {
      text = JSON.stringify({ ...OWN, ...change });
    },
    groups(...groups: readonly string[]) {
      world.file({ fleet: { ...FLEET, groups } });
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
  return world;
}
