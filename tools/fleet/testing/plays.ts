import type { PlayFields } from '../../../main/fleet/segment';
import { instant } from '../../../shared/clock';

/** The fields of a play that matter to an auditor's questions. Times: ms since the epoch. */
export interface SimplePlay {
  readonly id: string;
  readonly at: number;
  readonly isShown: boolean;
  readonly outcome: 'completed' | 'interrupted' | 'failed' | 'unknown' | 'given-back';
  readonly viewedMs: number;
  readonly durationMs: number | null;
  readonly environment: string;
  readonly flightId: string | null;
  readonly campaignId: string | null;
  readonly source: string | null;
  readonly sourceId: string | null;
  readonly caps: readonly { readonly window: string; readonly limit: number }[];
}

/** The place of a play's row in its kiosk's sequence. */
export interface RowPlace {
  readonly kiosk: string;
  readonly epoch: number;
  readonly seq: number;
  readonly rev: number;
}

/** A play's row as a kiosk writes it, but for its digest (`shared/proof-row.ts`). */
export function rowOf(play: SimplePlay, { kiosk, epoch, seq, rev }: RowPlace): PlayFields {
  return {
    kind: 'play',
    kiosk,
    epoch,
    seq,
    rev,
    id: play.id,
    at: instant(play.at),
    shownAt: play.isShown ? instant(play.at) : null,
    outcome: play.outcome,
    endReason: 'ended',
    viewedMs: play.viewedMs,
    durationMs: play.durationMs,
    presentedFrames: null,
    droppedFrames: null,
    stalls: null,
    delivery: 'offline',
    adId: `ad-${play.flightId}`,
    requestId: 'request',
    flightId: play.flightId,
    campaignId: play.campaignId,
    source: play.source,
    sourceId: play.sourceId,
    mediaUrl: 'https://media.example/a.mp4',
    environment: play.environment,
    beaconsSent: 2,
    beaconsUnknown: 0,
    beaconsFailed: 0,
    beaconsPending: 0,
    scripts: null,
    guestErrors: null,
    playerId: null,
    storeId: 'store',
    zone: null,
    screenId: null,
    labels: '{}',
    mediaSha256: null,
    mediaType: 'video/mp4',
    universalAdIdRegistry: null,
    universalAdId: null,
    adServingId: null,
    creativeId: null,
    assetGroupId: null,
    bundleId: null,
    revenueModel: null,
    allowedBy: 'untargeted',
    matchedGroup: null,
    peopleCount: null,
    signalAgeMs: null,
    caps: JSON.stringify(play.caps.map(({ window, limit }) => ({ window, limit }))),
  };
}
