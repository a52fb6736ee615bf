import { instant } from '../../../shared/clock';
import { type Showing, showingKind } from '../../../shared/play';
import type { Settings } from '../../settings/settings';
import type { Status } from '../../status/status';
import { type KnownFacts, sentenceOf } from '../../status/status-board';
import type { InventoryMessage, KioskState, NowMessage, ProofMessage, StateMessage } from './messages';

/** The kiosk that publishes, with what does not change while it runs. */
export interface PublishingKiosk {
  readonly kiosk: string;
  readonly store: Settings['store'];
  readonly groups: readonly string[];
  readonly versions: Pick<Status['versions'], 'endcap' | 'electron'>;
}

const MAX_PROBLEMS = 20;

function stateOf({ state, hold }: KnownFacts): KioskState {
  if (state === 'playing-from-store') return 'playing';
  if (state !== 'held') return state;
  if (hold === 'maintenance') return 'paused';
  return hold === 'closed' ? 'closed' : 'held';
}

/** @param correctionMs correction applied to the kiosk's clock, ms @param at ms since the epoch */
export function stateMessage(
  publishing: PublishingKiosk,
  told: KnownFacts,
  blocks: Readonly<Record<string, number>>,
  correctionMs: number,
  at: number,
): StateMessage {
  return {
    // What does not change while the kiosk runs.
    ...offlineMessage(publishing, at),
    online: true,
    state: stateOf(told),
    since: instant(told.since),
    sentence: sentenceOf(told),
    problems: told.attention
      .slice(0, MAX_PROBLEMS)
      .map(({ code, message, advice }) => ({ code, message, advice })),
    startedAt: instant(told.startedAt),
    clockCorrectionMs: Math.round(correctionMs),
    blocks: { ...blocks },
  };
}

/** The last will, which the broker publishes when the kiosk is gone; the kiosk itself publishes it before it exits. */
export function offlineMessage(
  { kiosk, store, groups, versions }: PublishingKiosk,
  at: number,
): StateMessage {
  const { storeId, zone, screenId, labels } = store;
  return {
    kiosk,
    online: false,
    at: instant(at),
    storeId,
    zone,
    screenId,
    labels,
    groups: [...groups],
    state: null,
    since: null,
    sentence: null,
    problems: [],
    versions: { endcap: versions.endcap, electron: versions.electron },
    startedAt: null,
    clockCorrectionMs: null,
    blocks: {},
  };
}

/** @param isAnnouncing an announcement covers what the slot loop shows */
export function nowMessage(
  { kiosk }: PublishingKiosk,
  { now, next }: Pick<KnownFacts, 'now' | 'next'>,
  isAnnouncing: boolean,
  at: number,
): NowMessage {
  const nothing = { adId: null, flightId: null, campaignId: null, sourceId: null, mediaUrl: null };
  const announcement = { kind: 'announcement' as const, ...nothing, startedAt: null, durationMs: null };
  return {
    kiosk,
    at: instant(at),
    now: isAnnouncing
      ? announcement
      : now && {
          ...shown(now),
          startedAt: now.at === null ? null : instant(now.at),
          durationMs: now.durationMs,
        },
    next: next && shown(next),
  };
}

export function proofMessage(
  { kiosk }: PublishingKiosk,
  proof: KnownFacts['proof'],
  at: number,
): ProofMessage {
  const time = (value: number | null | undefined) => (value == null ? null : instant(value));
  return {
    kiosk,
    at: instant(at),
    waiting: proof?.waiting ?? null,
    oldestAt: time(proof?.oldestAt),
    lastSentAt: time(proof?.lastSentAt),
    setAside: proof?.setAside ?? 0,
  };
}

/** The facts about the machine itself. */
export type MachineInventory = Omit<InventoryMessage, 'kiosk' | 'at' | 'publicKey'>;

function shown(showing: Showing) {
  const { adId, flightId, campaignId, sourceId, mediaUrl } = showing;
  return { kind: showingKind(showing), adId, flightId, campaignId, sourceId, mediaUrl };
}
