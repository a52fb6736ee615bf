import type { BeaconPolicy } from '../../shared/beacon';
import { limitedLog } from '../limited-log';
import { oneByOne } from '../turns';
import { createBeaconBudget } from './beacon-budget';
import { createBeaconHosts } from './beacon-hosts';
import { BeaconTries, type OutboxParts } from './beacon-tries';
import { retentionMs } from './delivery-policy';
import { EventBeacons } from './event-beacons';
import { eightDigits, type MacroValues } from './macros';
import { type AskedBeacon, type BeaconOccasion, splitAsked } from './new-beacons';
import { tidyOutbox } from './outbox-housekeeping';
import { OutboxLedger } from './outbox-ledger';
import { retryUntilStoredIn } from './retry-until-stored';
import { StoredBeacons } from './stored-beacons';

/** The beacons of one event of a native ad instance (rule 16). */
export interface Confirmation extends MacroValues {
  readonly instance: string;
  /**
   * `impression`, `click-…`, or `vast-` and an event of its VAST creative; each is confirmed once per instance. Only those
   * of the creative wait for each other.
   */
  readonly kind: string;
  /** The play that it proves; null: none. */
  readonly play: string | null;
  /** With positions in the ad's own list, so that duplicates count. A script runs only once (rule 17). */
  readonly beacons: readonly AskedBeacon[];
}

export type Outbox = ReturnType<typeof createOutbox>;

/** Beacons of plays. */
export type UrlBeacons = Pick<Outbox, 'fire' | 'settled'>;

/** How long `settled` waits for answers, ms. */
const LAST_ANSWERS_MS = 3_000;
const HOUSEKEEPING_MS = 60_000;

/**
 * Durable delivery of beacons (rules 15 and 16). Every beacon is stored and then tried. A live beacon is tried
 * at once, unless its host fails or an earlier beacon of its play waits. Stored beacons are drained host by
 * host, oldest first, at their own pace, so that a backlog does not delay live beacons.
 */
export function createOutbox(parts: OutboxParts) {
  const { records, clock, schedule, random, log, newId } = parts;
  const booksLog = limitedLog(parts);
  const retryUntilStored = retryUntilStoredIn(records, schedule, booksLog);
  const run = newId();
  const hosts = createBeaconHosts(clock, random, log);
  const ledger = new OutboxLedger(hosts, log);
  const tries = new BeaconTries({ ...parts, retryUntilStored, hosts, ledger });
  const stored = new StoredBeacons({ ...parts, run, hosts, ledger, tries, booksLog });
  const events = new EventBeacons({ retryUntilStored, hosts, ledger, tries, newId });
  const budget = createBeaconBudget(ledger, log);
  /** Runs one `reopen` after the other, because each counts what was lost since the one before. */
  const inOrder = oneByOne();
  let tellOpened = () => {};
  const opened = new Promise<void>((resolve) => {
    tellOpened = resolve;
  });
  let isOpen = false;
  let isEnding = false;
  let onQuiet: (() => void) | null = null;

  ledger.onMove(() => {
    stored.drain();
    if (isQuiet()) onQuiet?.();
  });

  const isQuiet = () => events.isAllStored && ledger.isHandEmpty;

  /**
   * Loads the waiting beacons from the books, and counts the known ones that are missing as lost. Resolves to how many
   * there are that were not known: those of earlier runs.
   */
  async function takeUp(): Promise<number> {
    let known = 0;
    const input = () => {
      known = ledger.notInHand(tries.endedUnstored) - events.unstored;
      return { now: clock.now(), stillSending: ledger.idsInHand };
    };
    const { interrupted, pending } = await retryUntilStored('openOutbox', input);
    stored.takeHosts(await retryUntilStored('waitingHosts', () => ({ after: '', now: clock.now() })));
    ledger.interrupted(interrupted);
    if (interrupted > 0) {
      log.warn('sends were interrupted; whether they arrived is unknown', { beacons: interrupted });
    }
    if (known > pending) ledger.lose(known - pending, 'the records window came back without them');
    return Math.max(0, pending - known);
  }

  function everyMinute(): void {
    schedule(HOUSEKEEPING_MS, () => {
      tidyOutbox({ records, ledger, log }, clock.now(), parts.mayExpire())
        .then(() => stored.takeMoreHosts())
        .catch((error: unknown) => log.error('the outbox could not be tidied', { error }))
        .finally(() => {
          if (!isEnding) everyMinute();
        });
    });
  }

  function occasionOf(
    event: string,
    policy: BeaconPolicy,
    values: MacroValues,
    of: Pick<BeaconOccasion, 'playId' | 'instance' | 'eventTimeParam' | 'run'>,
  ): BeaconOccasion {
    const moment = { ...values, at: values.at ?? clock.now(), cacheBuster: eightDigits(random) };
    return { environment: parts.environment, policy, event, moment, ...of };
  }

  return {
    /**
     * Stores and sends a GET to each URL, after the earlier beacons of the same play, so that servers see
     * impression, start and complete in that order. Returns at once and never throws, so that the slot goes on.
     * @param play id of the play; null: the event belongs to no play
     * @param values for macros: a VAST error code for error URLs, and those of the ad
     */
    fire(play: string | null, event: string, urls: readonly string[], values: MacroValues = {}): void {
      const { eventTimeParam } = parts;
      const policy = eventTimeParam === null ? 'at-most-once' : 'at-least-once';
      const occasion = occasionOf(event, policy, values, { playId: play, instance: null, eventTimeParam });
      const listed = urls.map((url, position) => ({ position, url }));
      const admitted = budget.admit(play, event, listed);
      if (admitted.length === 0) return;
      events.fire(splitAsked(admitted).map((part) => ({ play, occasion, ...part })));
    },

    /**
     * Confirms an event of an instance, once for ever, restarts included. True: this call confirmed it, its
     * beacons are being sent and its scripts run. False: it was confirmed before, or could not be stored;
     * nothing is sent or run. Never rejects.
     */
    async confirmOnce({ instance, kind, play, beacons, ...values }: Confirmation): Promise<boolean> {
      const of = { playId: play, instance, eventTimeParam: null, run };
      const occasion = occasionOf(kind, 'once', values, of);
      const expiresAt = occasion.moment.at + retentionMs(occasion.policy);
      await opened;
      return events.confirm(
        instance,
        occasion,
        splitAsked(budget.admit(`instance ${instance}`, kind, beacons)),
        () => clock.now() < expiresAt,
      );
    },

    /**
     * Stores and sends new beacons from now on. Loads what earlier runs left, of every environment (rule 26), once
     * `ownBeaconsKnown` resolves. Resolves when it is loaded.
     */
    async open(): Promise<void> {
      everyMinute();
      tellOpened();
      events.open();
      await parts.ownBeaconsKnown;
      ledger.addPending(await takeUp());
      isOpen = true;
      if (!isEnding) stored.open();
    },

    /** Call after a restart of the records window: counts and logs lost beacons, and delivers the others. */
    reopen: () =>
      inOrder(async () => {
        if (!isOpen) return;
        await takeUp();
        stored.drain();
      }),

    /**
     * Stops sending stored beacons. Resolves when new beacons are stored and running requests have their
     * answers, or after three seconds; the others are sent after the next start.
     */
    async settled(): Promise<void> {
      isEnding = true;
      stored.end();
      tries.end();
      if (isQuiet()) return;
      await new Promise<void>((resolve) => {
        onQuiet = resolve;
        schedule(LAST_ANSWERS_MS, resolve);
      });
    },

    counts: () => ledger.counts,
  };
}
