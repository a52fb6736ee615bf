import { instant } from '../../shared/instant';
import type { Play } from '../../shared/play';
import type { SignalAges } from './signals';
import {
  MAX_RECENT_PLAYS,
  MAX_REJECTED,
  type PlayerState,
  type Problem,
  type ServiceOperation,
  type ShowingKind,
  type Status,
  type StatusSections,
} from './status';

/** What is on the stage, or waits to be. Times in ms since the epoch, UTC. */
export interface ShowingFact {
  readonly kind: ShowingKind;
  readonly adId: string | null;
  readonly flightId: string | null;
  readonly campaignId: string | null;
  readonly sourceId: string | null;
  readonly mediaUrl: string | null;
  readonly startedAt: number | null;
  readonly durationMs: number | null;
}

export interface PlaylistFact {
  readonly ads: number;
  readonly playable: number;
  readonly rejected: ReadonlyArray<{
    readonly id: string | null;
    readonly code: string;
    readonly detail: string;
  }>;
  /** All of them, where `rejected` holds only the first. */
  readonly rejectedTotal?: number;
  /** When the service answered with it, ms since the epoch. */
  readonly receivedAt: number;
  readonly validators?: { readonly etag: string | null; readonly lastModified: string | null };
}

/** A section told whole: it replaces what was told of it before. */
export type SectionFact = {
  [Name in keyof StatusSections]: {
    readonly kind: 'section';
    readonly name: Name;
    readonly value: StatusSections[Name];
  };
}[keyof StatusSections];

/** Everything the parts of the player tell the board. */
export type Fact =
  | { readonly kind: 'service-succeeded'; readonly operation: ServiceOperation }
  | { readonly kind: 'service-failed'; readonly operation: ServiceOperation; readonly problem: Problem }
  /** `expiresAt` in ms since the epoch; null where the service gave no lifetime. */
  | { readonly kind: 'token-received'; readonly expiresAt: number | null }
  | { readonly kind: 'token-lost' }
  | { readonly kind: 'showing'; readonly showing: ShowingFact | null }
  | { readonly kind: 'next'; readonly showing: ShowingFact | null }
  /** Ads are held back; `reason` ends the sentence "Ads are held back: …". */
  | { readonly kind: 'held'; readonly reason: string }
  | { readonly kind: 'released' }
  | { readonly kind: 'attention'; readonly problem: Problem }
  | { readonly kind: 'attention-over'; readonly code: string }
  | { readonly kind: 'playlist'; readonly playlist: PlaylistFact | null }
  | { readonly kind: 'no-fill' }
  | { readonly kind: 'play-settled'; readonly play: Play }
  | SectionFact;

interface OperationFacts {
  readonly lastSuccessAt: number | null;
  readonly lastError: (Problem & { readonly at: number }) | null;
  readonly failing: boolean;
}

/** All that was told, reduced to what the status needs. Times in ms since the epoch, UTC. */
export interface Board {
  readonly startedAt: number;
  readonly state: PlayerState;
  readonly since: number;
  readonly service: Readonly<Record<ServiceOperation, OperationFacts>>;
  readonly token: { readonly receivedAt: number; readonly expiresAt: number | null } | null;
  readonly showing: ShowingFact | null;
  /** Something was on the stage since start. */
  readonly shownYet: boolean;
  readonly next: ShowingFact | null;
  readonly hold: string | null;
  readonly attention: readonly Problem[];
  readonly playlist: PlaylistFact | null;
  readonly noFillAt: number | null;
  readonly plays: readonly Play[];
  readonly sections: Partial<StatusSections>;
}

const untried: OperationFacts = { lastSuccessAt: null, lastError: null, failing: false };

export function emptyBoard(at: number): Board {
  return {
    startedAt: at,
    state: 'starting',
    since: at,
    service: {
      token: untried,
      inventory: untried,
      ads: untried,
      native: untried,
      media: untried,
      beacons: untried,
    },
    token: null,
    showing: null,
    shownYet: false,
    next: null,
    hold: null,
    attention: [],
    playlist: null,
    noFillAt: null,
    plays: [],
    sections: {},
  };
}

/** The board after `fact`, told at `at` (ms since the epoch). Pure. */
export function withFact(board: Board, fact: Fact, at: number): Board {
  const after = take(board, fact, at);
  const state = stateOf(after);
  return state === after.state ? after : { ...after, state, since: at };
}

function take(board: Board, fact: Fact, at: number): Board {
  switch (fact.kind) {
    case 'service-succeeded':
      return withOperation(board, fact.operation, { lastSuccessAt: at, failing: false });
    case 'service-failed':
      return withOperation(board, fact.operation, { lastError: { ...fact.problem, at }, failing: true });
    case 'token-received':
      return { ...board, token: { receivedAt: at, expiresAt: fact.expiresAt } };
    case 'token-lost':
      return { ...board, token: null };
    case 'showing':
      return { ...board, showing: fact.showing, shownYet: board.shownYet || fact.showing !== null };
    case 'next':
      return { ...board, next: fact.showing };
    case 'held':
      return { ...board, hold: fact.reason };
    case 'released':
      return { ...board, hold: null };
    case 'attention':
      return {
        ...board,
        attention: [...board.attention.filter(({ code }) => code !== fact.problem.code), fact.problem],
      };
    case 'attention-over':
      return { ...board, attention: board.attention.filter(({ code }) => code !== fact.code) };
    case 'playlist':
      return { ...board, playlist: fact.playlist };
    case 'no-fill':
      return { ...board, noFillAt: at };
    case 'play-settled':
      return { ...board, plays: [...recent(board.plays, at), fact.play].slice(-MAX_RECENT_PLAYS) };
    case 'section':
      return { ...board, sections: { ...board.sections, [fact.name]: fact.value } };
  }
}

function withOperation(board: Board, operation: ServiceOperation, change: Partial<OperationFacts>): Board {
  const service = { ...board.service, [operation]: { ...board.service[operation], ...change } };
  return { ...board, service };
}

const HOUR_MS = 3_600_000;

function recent(plays: readonly Play[], now: number): readonly Play[] {
  // The index, not a filter: `at` rises except where the clock was corrected, and a copy per play is enough.
  const first = plays.findIndex(({ at }) => at > now - HOUR_MS);
  return first === -1 ? [] : plays.slice(first);
}

function stateOf(board: Board): PlayerState {
  if (board.attention.length > 0) return 'attention';
  if (board.hold !== null) return 'held';
  if (board.showing === null) return board.shownYet ? 'no-content' : 'starting';
  if (board.showing.kind === 'house' || board.showing.kind === 'card') return 'no-content';
  const ads = board.service.ads;
  return ads.lastSuccessAt === null || ads.failing ? 'playing-from-store' : 'playing';
}

function sentenceOf(board: Board): string {
  switch (board.state) {
    case 'starting':
      return 'The player is starting.';
    case 'playing':
      return 'Ads are playing and the service answers.';
    case 'playing-from-store': {
      const error = board.service.ads.lastError;
      const reason = error === null ? 'The service has not answered yet' : `The service: ${error.message}`;
      return `Ads are playing from the stored playlist. ${reason.replace(/\.$/, '')}.`;
    }
    case 'no-content':
      return board.playlist === null
        ? 'Nothing to play: no playlist has arrived yet.'
        : 'Nothing may play now: no ad of the playlist is eligible.';
    case 'held':
      return `Ads are held back: ${(board.hold ?? '').replace(/\.$/, '')}.`;
    case 'attention':
      return board.attention[0]?.message ?? '';
  }
}

/** What is read at the moment of asking rather than told. Times in ms since the epoch, UTC. */
export interface Moment {
  readonly now: number;
  readonly systemNow: number;
  readonly trusted: boolean;
  readonly lastTrustedAt: number | null;
  readonly signals: SignalAges;
  readonly memory: Status['memory'];
}

/** The status as `GET /v1/status` answers it. Pure. */
export function statusOf(board: Board, versions: Status['versions'], moment: Moment): Status {
  const { now } = moment;
  const operation = (name: ServiceOperation) => {
    const { lastSuccessAt, lastError, failing } = board.service[name];
    return {
      lastSuccessAt: instantOrNull(lastSuccessAt),
      lastError: lastError === null ? null : { ...lastError, at: instant(lastError.at) },
      failing,
    };
  };
  return {
    version: versions.endcap,
    state: board.state,
    sentence: sentenceOf(board),
    since: instant(board.since),
    startedAt: instant(board.startedAt),
    attention: [...board.attention],
    now: showingOf(board.showing),
    next: showingOf(board.next),
    service: {
      token: operation('token'),
      inventory: operation('inventory'),
      ads: operation('ads'),
      native: operation('native'),
      media: operation('media'),
      beacons: operation('beacons'),
    },
    token:
      board.token === null
        ? null
        : {
            ageMs: now - board.token.receivedAt,
            expiresAt: instantOrNull(board.token.expiresAt),
            expiresInMs: board.token.expiresAt === null ? null : board.token.expiresAt - now,
          },
    playlist: board.playlist === null ? null : playlistOf(board.playlist, now),
    noFillAt: instantOrNull(board.noFillAt),
    clock: {
      now: instant(now),
      systemNow: instant(moment.systemNow),
      correctionMs: now - moment.systemNow,
      trusted: moment.trusted,
      lastTrustedAt: instantOrNull(moment.lastTrustedAt),
    },
    signals: moment.signals,
    memory: moment.memory,
    versions,
    plays: recent(board.plays, now).map((play) => ({
      at: instant(play.at),
      adId: play.adId,
      flightId: play.flightId,
      sourceId: play.sourceId,
      delivery: play.delivery,
      mediaUrl: withoutSecrets(play.mediaUrl),
      durationMs: play.durationMs,
      outcome: play.outcome,
      viewedMs: play.viewedMs,
      endReason: play.endReason,
    })),
    ...board.sections,
  };
}

function playlistOf(playlist: PlaylistFact, now: number): NonNullable<Status['playlist']> {
  const { ads, playable, rejected, rejectedTotal = rejected.length, receivedAt, validators } = playlist;
  return {
    ads,
    playable,
    rejected: rejected.slice(0, MAX_REJECTED),
    rejectedTotal,
    receivedAt: instant(receivedAt),
    ageMs: now - receivedAt,
    ...(validators === undefined ? {} : { validators }),
  };
}

function showingOf(showing: ShowingFact | null): Status['now'] {
  if (showing === null) return null;
  return {
    ...showing,
    mediaUrl: showing.mediaUrl === null ? null : withoutSecrets(showing.mediaUrl),
    startedAt: instantOrNull(showing.startedAt),
  };
}

/** A URL fit to be read aloud: no user, no query, no fragment (signed media URLs carry keys there; rule 23). */
export function withoutSecrets(url: string): string {
  const [address = '', ...rest] = url.split(/[?#]/);
  const plain = address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1');
  return rest.length > 0 ? `${plain}?…` : plain;
}

function instantOrNull(time: number | null): string | null {
  return time === null ? null : instant(time);
}

/** Holds the board for the parts that tell it things. */
export interface StatusBoard {
  tell(fact: Fact): void;
  status(): Status;
}

export interface StatusBoardParts {
  readonly versions: Status['versions'];
  /** The corrected time, ms since the epoch. */
  readonly now: () => number;
  /** Read each time the status is asked for. */
  readonly moment: () => Moment;
}

export function createStatusBoard({ versions, now, moment }: StatusBoardParts): StatusBoard {
  let board = emptyBoard(now());
  return {
    tell(fact) {
      board = withFact(board, fact, now());
    },
    status: () => statusOf(board, versions, moment()),
  };
}
