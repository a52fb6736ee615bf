import type { ActionName, AdminHome, AdminProblem, AdminShowing, AdminTally } from '../../shared/admin';
import type { Problem, Status } from '../signals/status';
import { cut, cutOrNull } from './bounded-text';
import { timelineOf } from './home-timeline';

/** What the first page is made of. Times: ms since the epoch, UTC. */
export interface HomeFacts {
  readonly status: Status;
  /** The status just before the overlay covered the stage; null while it does not, or was there at start. */
  readonly before: Status | null;
  /** What an ad's creative looks like; null where it cannot be shown as a picture. */
  readonly pictureOf: (adId: string) => AdminShowing['picture'];
  readonly mediaProblems: ReadonlyArray<{ readonly code: string; readonly message: string }>;
  /** Null without a stored playlist. */
  readonly tally: AdminTally | null;
  readonly maintenanceUntil: number | null;
  readonly isStoreOpen: boolean;
  readonly volume: number;
  readonly mayAct: boolean;
  /** From an operator's file. */
  readonly managed: boolean;
  /** The settings are those that the set-up wrote. */
  readonly canChangePin: boolean;
  readonly canRestartKiosk: boolean;
  readonly autostart: AdminHome['autostart'];
  readonly kiosk: AdminHome['kiosk'];
}

/** How much of the cache's quota is in use before clearing it is suggested. */
const FULL = 0.95;

/** The answer to "is it working, if not why, what do I do". Pure. */
export function homeOf(facts: HomeFacts): AdminHome {
  const { status, before, tally } = facts;
  const state = stateOf(facts);
  const actions = actionsOf(facts);
  const available = new Set(actions.flatMap(({ action, available: isIt }) => (isIt ? [action] : [])));
  const service = Object.entries(status.service).map(
    ([operation, { lastSuccessAt, lastError, failing }]) => ({
      operation: operation as AdminHome['service'][number]['operation'],
      lastSuccessAt: time(lastSuccessAt),
      failing,
      lastError: lastError && { ...problem(lastError), at: time(lastError.at) ?? 0 },
    }),
  );
  const contacts = service.flatMap(({ lastSuccessAt }) => lastSuccessAt ?? []);
  const onStage = before ?? status;
  return {
    at: time(status.clock.now) ?? 0,
    state,
    since: time(onStage.state === state || state === 'held' ? onStage.since : status.since) ?? 0,
    sentence: cut(onStage.sentence, 500),
    attention: status.attention.slice(0, 20).map(problem),
    now: showing(onStage.now, facts.pictureOf),
    next: showing(onStage.next, facts.pictureOf),
    // The play that the overlay interrupted is one of the hour; what comes is what it goes back to.
    timeline: timelineOf({ ...onStage, plays: status.plays }, time(status.clock.now) ?? 0),
    service,
    lastContactAt: contacts.length > 0 ? Math.max(...contacts) : null,
    clock: {
      now: time(status.clock.now) ?? 0,
      systemNow: time(status.clock.systemNow) ?? 0,
      correctionMs: status.clock.correctionMs,
      trusted: status.clock.trusted,
      lastTrustedAt: time(status.clock.lastTrustedAt),
    },
    playlist: tally && {
      receivedAt: time(status.playlist?.receivedAt ?? null) ?? 0,
      rejected: status.playlist?.rejectedTotal ?? 0,
      noFillAt: time(status.noFillAt),
      ...tally,
    },
    storage: {
      mediaFiles: status.media?.files ?? 0,
      mediaBytes: status.media?.bytes ?? 0,
      quotaBytes: status.media?.quotaBytes ?? 0,
      freeBytes: status.media?.freeBytes ?? status.storage?.freeBytes ?? null,
      plays: status.books?.plays ?? 0,
      lostPlays: status.books?.lost.plays ?? 0,
      problems: facts.mediaProblems
        .slice(0, 20)
        .map(({ code, message }) => ({ code: cut(code, ID), message: cut(message, 500) })),
    },
    beacons: {
      sent: status.beacons?.sent ?? 0,
      failed: status.beacons?.failed ?? 0,
      pending: status.beacons?.pending ?? 0,
      unknown: status.beacons?.unknown ?? 0,
    },
    kiosk: facts.kiosk,
    versions: status.versions,
    settings: {
      file: cutOrNull(status.settings?.file ?? null, 500),
      managed: facts.managed,
      problems: texts(status.settings?.problems ?? []),
    },
    sound: { volume: facts.volume },
    autostart: facts.autostart,
    maintenanceUntil: facts.maintenanceUntil,
    actions,
    suggestions: likely(facts, state)
      .filter((action, index, all) => available.has(action) && all.indexOf(action) === index)
      .slice(0, 3),
  };
}

function stateOf({ status, before, tally, maintenanceUntil, isStoreOpen }: HomeFacts): AdminHome['state'] {
  if (status.attention.length > 0) return 'attention';
  if (maintenanceUntil !== null) return 'paused';
  if (!isStoreOpen) return 'closed';
  if (status.state !== 'held') return status.state;
  // The overlay holds the loop: what counts is what it goes back to.
  if (before && before.state === 'starting') return 'starting';
  if (!tally || tally.eligible === 0) return 'no-content';
  const { ads } = status.service;
  return ads === undefined || ads.failing || ads.lastSuccessAt === null ? 'playing-from-store' : 'playing';
}

/** The likeliest actions first; those that cannot be had are left out later. */
function likely({ status, maintenanceUntil }: HomeFacts, state: AdminHome['state']): ActionName[] {
  const actions: ActionName[] = [];
  if (maintenanceUntil !== null) actions.push('resume');
  const isFailing = Object.values(status.service).some(({ failing }) => failing);
  if (isFailing || state === 'playing-from-store') actions.push('connection-test', 'refresh');
  const media = status.media;
  if (media && media.quotaBytes > 0 && media.bytes > media.quotaBytes * FULL) actions.push('clear-media');
  if (state === 'no-content' || state === 'starting') actions.push('refresh', 'connection-test');
  if (state === 'attention') actions.push('connection-test', 'restart-player');
  return [...actions, 'pause', 'refresh', 'sound', 'export'];
}

type Availability = AdminHome['actions'][number];

function actionsOf({
  mayAct,
  managed,
  canChangePin,
  canRestartKiosk,
  autostart,
  maintenanceUntil,
}: HomeFacts): Availability[] {
  const reasons: ReadonlyArray<readonly [ActionName, Availability['why']]> = [
    ['pause', null],
    ['resume', maintenanceUntil === null ? 'nothing-to-do' : null],
    ['skip', null],
    ['refresh', null],
    ['sound', null],
    ['clear-media', null],
    ['connection-test', null],
    ['restart-player', null],
    ['restart-kiosk', canRestartKiosk ? null : 'not-here'],
    ['leave', null],
    ['change-pin', managed ? 'managed' : canChangePin ? null : 'not-here'],
    ['set-up', managed ? 'managed' : null],
    ['export', null],
    ['autostart', autostart.by === 'service' ? 'managed' : null],
  ];
  return reasons.map(([action, reason]) => {
    const why = mayAct ? reason : 'locked';
    return { action, available: why === null, why };
  });
}

const ID = 200;

function showing(shown: Status['now'], pictureOf: HomeFacts['pictureOf']): AdminShowing | null {
  return (
    shown && {
      kind: shown.kind,
      adId: cutOrNull(shown.adId, ID),
      flightId: cutOrNull(shown.flightId, ID),
      campaignId: cutOrNull(shown.campaignId, ID),
      sourceId: cutOrNull(shown.sourceId, ID),
      mediaUrl: cutOrNull(shown.mediaUrl, 500),
      picture: shown.kind === 'ad' && shown.adId !== null ? pictureOf(shown.adId) : null,
      startedAt: time(shown.startedAt),
      durationMs: shown.durationMs,
    }
  );
}

function problem({ code, message, advice }: Problem): AdminProblem {
  return { code: cut(code, 100), message: cut(message, 500), advice: cutOrNull(advice, 500) };
}

function texts(list: readonly string[]): string[] {
  return list.slice(0, 20).map((text) => cut(text, 500));
}

function time(instant: string | null): number | null {
  return instant === null ? null : Date.parse(instant);
}
