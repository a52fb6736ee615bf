import type { Clock } from '../../../shared/clock';
import type { Log } from '../../../shared/log';
import type { Showing } from '../../../shared/play';
import { refusal as no, type Outcome } from '../../fleet/link/command-handler';
import { type PlayerFact, SHORT_HOLDS } from '../../playback/player-fact';
import type { Schedule } from '../../schedule';
import type { KnownFacts } from '../../status/status-board';
import type { Json } from '../json-values';
import { type LiveSettingsStore, withChanges } from '../live-settings';
import { type CheckResult, problemsText } from './read-with-remote';
import { changesBetween } from './remote-document';
import {
  accepted,
  documentOf,
  isForAnother,
  type Needs,
  type RemoteDocument,
  recorded,
  type StoredRemoteSettings,
  type TrialEnding,
  takenBack,
  type UnusableRemoteSettings,
  withoutEnding,
  withoutOthers,
  withTrialPassed,
} from './remote-settings';
import type { RemoteSettingsStore } from './remote-settings-store';

/** Within this time something has to be drawn with new settings, ms. */
const TRIAL_MS = 60_000;
/** Holds, and a slot from before the change, prolong a trial to this at most, ms. */
const MAX_TRIAL_MS = 15 * 60_000;

const NOT_PLAYED =
  'The kiosk did not play with the new settings in time, so the previous settings are in force again.';
const NOT_STORED =
  'The new settings could not be stored, so the previous settings are in force again. Check the disk.';

export interface RemoteTrialParts {
  /** The kiosk's name. */
  readonly kiosk: string;
  readonly kept: RemoteSettingsStore;
  /** The stored settings that this run could not use. */
  readonly setAside: UnusableRemoteSettings | null;
  readonly check: (document: Json | null) => Promise<CheckResult>;
  readonly live: LiveSettingsStore;
  readonly onScreen: () => Pick<KnownFacts, 'hold' | 'now' | 'beforeHold'>;
  /** Restarts the player; `by` is the fingerprint of the key that signed the settings. */
  readonly restart: (by: string) => void;
  /** Called whenever the stored settings have changed. */
  readonly changed: () => void;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly log: Log;
}

export type RemoteTrials = ReturnType<typeof startRemoteTrials>;

interface RunningTrial {
  /** Of the document on trial. */
  readonly jti: string;
  /** What has to be drawn. */
  readonly needs: Needs;
  /** Judges it, or waits another minute. */
  readonly look: () => void;
  /** When it ends at the latest, on the monotonic clock, ms. */
  readonly endsAt: number;
  cancel: () => void;
}

/** Tries the operator's settings, and takes them back where the kiosk does not play with them. */
export function startRemoteTrials(parts: RemoteTrialParts) {
  const { kept, live, onScreen, clock, schedule, log } = parts;
  /** The remote settings that this run uses; null: the file alone. */
  let inUse = parts.setAside === null ? (documentOf(kept.now())?.settings ?? null) : null;
  let isRestarting = false;
  /** What the next trial needs at least: under the settings that failed no ad may have been on the screen. */
  let needsAtLeast: Needs = 'anything';
  let tellEnding: ((ending: TrialEnding) => void) | null = null;
  let watch: RunningTrial | null = null;

  /** @param before as for `judge` */
  function begin(jti: string, needs: Needs, before: Showing | null): void {
    const look = (): void => {
      const verdict = judge(onScreen(), needs, before);
      if (verdict === 'passed') void succeed(jti);
      else if (verdict === 'failed' || clock.monotonic() >= endsAt) void fail(jti, NOT_PLAYED);
      else wait();
    };
    const endsAt = clock.monotonic() + MAX_TRIAL_MS;
    watch = { jti, needs, look, endsAt, cancel: schedule(TRIAL_MS, look) };
  }

  /** Looks again in a minute, or when the trial ends: after a hold the next ad is loaded only then. */
  function wait(): void {
    watch?.cancel();
    if (watch)
      watch.cancel = schedule(Math.max(0, Math.min(TRIAL_MS, watch.endsAt - clock.monotonic())), watch.look);
  }

  function end(): void {
    watch?.cancel();
    watch = null;
  }

  async function succeed(jti: string): Promise<void> {
    end();
    let counts = false;
    try {
      await kept.change((before) => {
        counts = isTrialOf(before, jti);
        return counts ? withTrialPassed(before) : before;
      });
    } catch (error) {
      log.error('remote settings that passed their trial could not be stored', { error });
      return fail(jti, NOT_STORED);
    }
    if (!counts) return;
    log.info('the remote settings passed their trial');
    tellEnded(kept.now().unanswered.slice(-1));
  }

  /** The next start has the previous settings, also where these were live. */
  async function fail(jti: string, error: string): Promise<void> {
    let by = null as string | null;
    // Where it cannot be stored the next start takes them back, too.
    await kept.changeEvenIfNotStored((before) => {
      if (before.trial === null || !isTrialOf(before, jti)) return before;
      by = before.trial.document.by;
      needsAtLeast = before.trial.needs;
      isRestarting = true;
      end();
      return takenBack(before, error, clock.now());
    });
    if (by === null) return;
    log.warn('the remote settings failed their trial; the player restarts with the previous ones', { error });
    parts.restart(by);
  }

  function tellEnded(endings: readonly TrialEnding[]): void {
    parts.changed();
    if (tellEnding === null) return;
    for (const ending of endings) tellEnding(ending);
    if (endings.some(({ isRecorded }) => !isRecorded)) void kept.changeEvenIfNotStored(recorded);
  }

  /**
   * Resolves with `later` once they are on trial, in the place of older ones. `onEnded` then reports the result, even
   * after a restart.
   */
  async function take(given: Omit<RemoteDocument, 'at'>): Promise<Outcome> {
    const document = { ...given, at: clock.now() };
    const { settings, iat, by } = document;
    const refusal = supersededBy(kept.now().newest, iat);
    if (refusal !== null) return refusal;
    const checked = await parts.check(settings);
    if ('problems' in checked) return no('invalid', problemsText(checked.problems));
    const changes = changesBetween(inUse, settings);
    let isLive = false;
    let isInUse = false;
    let hasReplaced = false;
    let needs: Needs = needsAtLeast;
    try {
      await kept.change((before) => {
        hasReplaced = before.trial !== null;
        // A run that is about to end tries nothing, and `inUse` does not say what the next one has.
        isLive = !isRestarting && [...changes.values()].every((effect) => effect === 'live');
        isInUse = isLive && changes.size === 0 && !hasReplaced;
        needs = needsNow(onScreen(), before.trial?.needs ?? needsAtLeast);
        return accepted(before, document, isInUse ? null : { needs, isBegun: isLive });
      });
    } catch (error) {
      log.error('remote settings could not be stored', { error });
      return no('failed', 'The new settings could not be stored, so they are not in force. Check the disk.');
    }
    end();
    log.info('remote settings were accepted', { by, changes: [...changes.keys()], isLive });
    if (!isLive) {
      isRestarting = true;
      parts.restart(by);
    } else if (!isInUse) {
      const { hold, now } = onScreen();
      begin(document.jti, needs, hold === null ? now : null);
      inUse = settings;
      live.setState(withChanges(live.getState(), checked.live, changes.keys()));
    }
    tellEnded(hasReplaced ? kept.now().unanswered.slice(-1) : []);
    return { state: isInUse ? 'done' : 'later' };
  }

  const { trial } = kept.now();
  const document = documentOf(kept.now());
  if (document !== null && inUse !== null && isForAnother(document, parts.kiosk)) {
    isRestarting = true;
    void endOthers(parts, document).then((restarts) => {
      isRestarting = restarts;
    });
  } else if (trial) {
    // Continues a trial that began with this start.
    begin(trial.document.jti, trial.needs, null);
    if (meets(trial.needs, onScreen().now)) void succeed(trial.document.jti);
  }

  return {
    take,
    /** To be called with every fact of the player. */
    onPlayerFact(fact: PlayerFact): void {
      if (fact.kind === 'showing' && watch && meets(watch.needs, fact.showing)) void succeed(watch.jti);
      if (fact.kind === 'held' && fact.reason === null) wait();
    },
    /**
     * Calls the listener with every unanswered ending, now and from now on. An ending without a `told` is
     * reported again after a restart.
     */
    onEnded(listener: (ending: TrialEnding) => void): void {
      tellEnding = listener;
      tellEnded(kept.now().unanswered);
    },
    markAnswered: (jti: string): Promise<void> =>
      kept.changeEvenIfNotStored((before) => withoutEnding(before, jti)),
  };
}

/** The answer to a document whose trial has ended. */
export const answerTo = ({ error, reason, isRecorded }: TrialEnding) =>
  error === null
    ? ({ state: 'done', recorded: isRecorded } as const)
    : { ...no(reason ?? 'failed', error), recorded: isRecorded };

/** Others may take the place of a trial while its result waits for the disk: then the result no longer counts. */
const isTrialOf = ({ trial }: StoredRemoteSettings, jti: string) => trial?.document.jti === jti;

/** What a trial needs that begins now. */
function needsNow(
  { hold, now, beforeHold }: ReturnType<RemoteTrialParts['onScreen']>,
  atLeast: Needs,
): Needs {
  // In a short hold, the brand card takes the place of the ad.
  const shown = SHORT_HOLDS.has(hold) ? beforeHold : now;
  return meets('ad', shown) ? 'ad' : atLeast;
}

/**
 * How a trial stands when its minute is over.
 *
 * @param before the ad on the screen before a live change, which does not count; null: what is on the screen counts
 */
function judge(
  { hold, now }: ReturnType<RemoteTrialParts['onScreen']>,
  needs: Needs,
  before: Showing | null,
): 'passed' | 'failed' | 'open' {
  const isShort = SHORT_HOLDS.has(hold);
  // While the stage is held for long (outside the opening hours, for example) nothing can be judged, so the trial
  // succeeds, as for an update.
  if ((hold !== null && !isShort) || (needs === 'anything' && now !== null)) return 'passed';
  // A slot from before the change may last ten minutes.
  return isShort || (before !== null && now === before) ? 'open' : 'failed';
}

/** Ends settings for another kiosk, since the name was not known when they were read. Returns whether it restarts. */
async function endOthers(
  { kiosk, kept, restart, clock, log }: RemoteTrialParts,
  { aud, by }: RemoteDocument,
): Promise<boolean> {
  try {
    await kept.change((before) => withoutOthers(before, kiosk, clock.now()));
  } catch (error) {
    log.error('the end of remote settings for another kiosk could not be stored', { error });
    return false;
  }
  log.warn('the remote settings are for another kiosk; the player restarts without them', { aud });
  restart(by);
  return true;
}

const meets = (needs: Needs, showing: Showing | null): boolean =>
  showing !== null && (needs === 'anything' || (showing.delivery !== null && showing.delivery !== 'house'));

/** Refuses settings signed at `iat` that are older than the `newest` accepted (s since 1970); null: they are not. */
const supersededBy = (newest: number, iat: number): Outcome | null =>
  iat < newest
    ? no(
        'superseded',
        `These settings were signed at ${timeOf(iat)}. The kiosk already has newer settings, signed at ${timeOf(newest)}.`,
      )
    : null;

const timeOf = (seconds: number) => new Date(seconds * 1_000).toISOString();
