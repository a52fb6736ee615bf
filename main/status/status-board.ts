import { type Clock, HOUR_MS } from '../../shared/clock';
import type { Play, Showing } from '../../shared/play';
import type { Fact, RejectedAd, Tell } from './facts';
import { momentBefore } from './moment';
import { withoutSecrets } from './shown-text';
import type { Problem, Status } from './status';
import { MAX_RECENT_PLAYS, MAX_REJECTED, SERVICE_OPERATIONS, type ServiceOperation } from './status-bounds';

/** The part of the status that facts report. */
export interface KnownFacts
  extends Pick<
    Status,
    | 'startedAt'
    | 'state'
    | 'since'
    | 'service'
    | 'now'
    | 'next'
    | 'attention'
    | 'hold'
    | 'noFillAt'
    | 'video'
    | 'settings'
    | 'kiosk'
    | 'proof'
    | 'fleet'
    | 'signalsServer'
  > {
  /** Of the last answer with ads; null: none came, and none is stored. */
  readonly rejectedAds: Status['rejectedAds'] | null;
  readonly plays: readonly Play[];
  /** What the screen showed before the hold of now, or before the last one. */
  readonly beforeHold: Showing | null;
}

const UNTRIED = { lastSuccessAt: null, lastError: null, failing: false };

/** Before the first fact. @param at ms since the epoch */
export function noFacts(at: number): KnownFacts {
  return {
    startedAt: at,
    state: 'starting',
    since: at,
    service: Object.fromEntries(
      SERVICE_OPERATIONS.map((operation) => [operation, UNTRIED]),
    ) as KnownFacts['service'],
    now: null,
    next: null,
    hold: null,
    beforeHold: null,
    attention: [],
    rejectedAds: null,
    noFillAt: null,
    plays: [],
    video: 'none',
  };
}

/** The state after `fact`, reported at `at` (ms since the epoch); the same object if nothing changes. Pure. */
export function withFact(told: KnownFacts, fact: Fact, at: number): KnownFacts {
  const change = changeOf(told, fact, at);
  if (change === null) return told;
  const after = { ...told, ...change };
  const state = stateOf(after);
  return state === after.state ? after : { ...after, state, since: at };
}

function changeOf(told: KnownFacts, fact: Fact, at: number): Partial<KnownFacts> | null {
  switch (fact.kind) {
    case 'showing':
      return { now: fact.showing, video: fact.moving ? 'advancing' : 'none' };
    case 'next':
      return { next: fact.showing };
    case 'held':
      return { hold: fact.reason, ...(told.hold === null && { beforeHold: told.now }) };
    case 'settled': {
      const play = { ...fact.play, mediaUrl: withoutSecrets(fact.play.mediaUrl) };
      return {
        plays: [...recent(told.plays, at), play].slice(-MAX_RECENT_PLAYS),
        ...(play.endReason === 'stalled' && { video: 'stalled' }),
      };
    }
    case 'reserved':
      // Told once the play is stored; a settlement is told before.
      return withProblem(told, BOOKS_FAILING, null);
    case 'books-failing':
      return withProblem(told, BOOKS_FAILING, booksFailing(fact.error));
    case 'service-succeeded':
      return withOperation(told, fact.operation, { lastSuccessAt: at, failing: false });
    case 'service-failed':
      return withOperation(told, fact.operation, { lastError: { ...fact.problem, at }, failing: true });
    case 'attention':
      return withProblem(told, fact.code, fact.problem);
    case 'playlist':
      return { rejectedAds: firstRejected(fact.rejected) };
    case 'no-fill':
      return { noFillAt: at };
    case 'section':
      return { [fact.name]: fact.value };
    default:
      // Not in the status; the metrics count it.
      return null;
  }
}

function withOperation(
  { service }: KnownFacts,
  operation: ServiceOperation,
  change: Partial<Status['service'][ServiceOperation]>,
): Partial<KnownFacts> {
  return { service: { ...service, [operation]: { ...service[operation], ...change } } };
}

/** A problem that is told again keeps its place. @param problem null: it is over */
function withProblem({ attention }: KnownFacts, code: string, problem: Omit<Problem, 'code'> | null) {
  const known = attention.find((each) => each.code === code);
  if (problem === null) return known ? { attention: attention.filter((each) => each !== known) } : null;
  const next = { ...problem, code };
  if (known === undefined) return { attention: [...attention, next] };
  if (known.message === next.message && known.advice === next.advice) return null;
  return { attention: attention.map((each) => (each === known ? next : each)) };
}

export const BOOKS_FAILING = 'books-failing';
const booksFailing = (detail: string) => ({
  message: 'The books cannot be written, so no ad may play.',
  advice: `Free disk space, or check the disk of the kiosk; it goes on by itself. Do not restart it before: with a full disk it cannot start. (${detail.slice(0, 200)})`,
});

function firstRejected(rejected: readonly RejectedAd[]): Status['rejectedAds'] {
  return {
    rejected: rejected.slice(0, MAX_REJECTED).map(({ id, code, detail }) => ({ id, code, detail })),
    rejectedTotal: rejected.length,
  };
}

function recent(plays: readonly Play[], now: number): Play[] {
  // Cut at the first recent play, without a filter: `at` only falls when the clock was corrected.
  const first = plays.findIndex(({ at }) => at > now - HOUR_MS);
  return first === -1 ? [] : plays.slice(first);
}

function stateOf({ attention, hold, now, service: { ads } }: KnownFacts): Status['state'] {
  if (attention.length > 0) return 'attention';
  if (hold !== null) return 'held';
  if (now === null) return 'starting';
  if (now.delivery === null || now.delivery === 'house') return 'no-content';
  return ads.lastSuccessAt === null || ads.failing ? 'playing-from-store' : 'playing';
}

const HOLD_WORDS: Readonly<Record<string, string>> = {
  overlay: 'staff have opened the overlay',
  maintenance: 'staff have paused the kiosk',
  closed: 'the store is closed',
  'window-hidden': 'the window is hidden',
  'display-off': 'no display is switched on',
  'link-view': "a shopper has opened an ad's page",
  announcement: "an announcement of the fleet's operator is on the screen",
};

/** The state in words. */
export function sentenceOf({ state, service, rejectedAds, noFillAt, hold, attention }: KnownFacts): string {
  const { failing, lastError } = service.ads;
  // Without its address: the sentence must not change with each file.
  const file = service.media.failing ? ' The last file asked for could not be fetched: see the log.' : '';
  const error = failing && lastError ? ` The service: ${lastError.message.replace(/\.$/, '')}.` : '';
  switch (state) {
    case 'starting':
      return 'The player is starting.';
    case 'playing':
      return 'Ads are playing and the service answers.';
    case 'playing-from-store':
      return `Ads are playing from the stored playlist.${error || ' The service has not answered yet.'}`;
    case 'no-content':
      if (rejectedAds !== null)
        return `Nothing may play now: no ad that the service has sent is eligible.${error || file}`;
      return noFillAt === null || failing
        ? `Nothing to play: no playlist has arrived yet.${error}`
        : 'Nothing to play: the service has no ad for this kiosk.';
    case 'held':
      return `Ads are held back: ${HOLD_WORDS[hold ?? ''] ?? hold}.`;
    case 'attention':
      return attention[0]?.message ?? '';
  }
}

/** The rest of the status, which is read from its sources on demand. */
export type StatusRead = Omit<Status, keyof KnownFacts | 'version' | 'sentence' | 'playlist'>;

/** The status at `read.clock.now`. Pure. */
export function statusOf(told: KnownFacts, read: StatusRead): Status {
  const { now } = read.clock;
  const { beforeHold: _, ...rest } = told;
  const { tally, playlistAt: receivedAt } = read;
  const { ads, playable } = tally;
  const rejectedAds = told.rejectedAds ?? { rejected: [], rejectedTotal: 0 };
  const { media } = told.service;
  // Nothing asks again for a creative that is not wanted any more.
  const failing = media.failing && read.media.problems.length > 0;
  const service = { ...told.service, media: { ...media, failing } };
  return {
    ...rest,
    ...read,
    service,
    version: read.versions.endcap,
    sentence: sentenceOf({ ...told, service }),
    rejectedAds,
    playlist:
      receivedAt === null ? null : { ads, playable, ...rejectedAds, receivedAt, ageMs: now - receivedAt },
    plays: recent(told.plays, now),
  };
}

export type StatusBoard = ReturnType<typeof createStatusBoard>;

/**
 * Collects all facts about how the kiosk is doing.
 *
 * @param clock the one for decisions; its monotonic time goes on while the machine sleeps
 */
export function createStatusBoard(clock: Clock) {
  const startedAt = momentBefore(clock);
  let told = noFacts(startedAt());
  const uncounted: Fact[] = [];
  let count: Tell = (fact) => void uncounted.push(fact);

  /** What was told, with its start and its state's as the clock is set now. */
  function current(): KnownFacts {
    const by = startedAt() - told.startedAt;
    if (by !== 0) told = { ...told, startedAt: told.startedAt + by, since: told.since + by };
    return told;
  }

  return {
    tell(fact: Fact): void {
      told = withFact(current(), fact, clock.now());
      count(fact);
    },
    told: current,
    /**
     * Counts all facts since the start, and each further one. Facts are buffered for it, because the metrics
     * are loaded after the first frame.
     */
    countWith(next: Tell): void {
      for (const fact of uncounted.splice(0)) next(fact);
      count = next;
    },
  };
}
