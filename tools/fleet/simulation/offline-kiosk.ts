import 'fake-indexeddb/auto';
import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { proofRow } from '../../../main/fleet/proof-rows';
import { createSegmentSender } from '../../../main/fleet/send-segment';
import { startShipper } from '../../../main/fleet/shipper';
import type { SegmentResult } from '../../../main/fleet/shipping-decisions';
import { signingKeyOf } from '../../../main/fleet/signing-key';
import { type Records, RecordsError } from '../../../main/records/records-client';
import { timers } from '../../../main/schedule';
import { recordsCommandsOn } from '../../../renderer/records/commands';
import { openDatabase } from '../../../renderer/records/database';
import { silentLog } from '../../../shared/log';
import { type Play, UNSEEN } from '../../../shared/play';
import type { RecordsCommand, RecordsInput, RecordsOutput } from '../../../shared/records';
import type { SimplePlay } from '../testing/plays';
import type { SimulatedPlayer } from './simulated-player';

/** How often it is checked whether plays still wait, ms; a segment takes longer. */
const LOOK_MS = 200;
const SHIPPING = { maxRows: 5_000, everyMs: 1_000 };
const ORIGIN = { playerId: null, store: { storeId: 'store', zone: null, screenId: null, labels: {} } };
const untouched = { flight: null, recency: null, sourceMix: null };

/** A kiosk without Electron: the real books (on an in-memory IndexedDB) and the real shipper. */
export function offlineKiosk(player: SimulatedPlayer) {
  const key = signingKeyOf(generateKeyPairSync('ed25519').privateKey);
  const commands = recordsCommandsOn(openDatabase(`offline-${key.fingerprint}`));
  const records: Records = {
    run: <C extends RecordsCommand>(command: C, input: RecordsInput<C>): Promise<RecordsOutput<C>> =>
      (commands[command] as (value: RecordsInput<C>) => Promise<RecordsOutput<C>>)(input).catch(
        (error: Error) => {
          throw new RecordsError('conflict', command, error.message);
        },
      ),
  };
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };

  return {
    /** `ed25519:…` */
    publicKey: key.publicKey,
    /**
     * Plays up to `until`, ms since the epoch; reserves and settles each play as a kiosk does. Resolves with the number
     * of plays. `onPlay` gets the share of the time that has passed (0 to 1).
     */
    playUntil: async (until: number, onPlay: (done: number) => void) => {
      const began = player.now();
      let plays = 0;
      for (; player.now() < until; plays += 1) {
        const played = player.play();
        await records.run('reservePlay', {
          play: reservationOf(played),
          ...untouched,
          ranMs: played.at - began,
        });
        await records.run('settlePlay', {
          id: played.id,
          settlement: settlementOf(played),
          ...untouched,
          now: played.at + played.viewedMs,
        });
        onPlay((player.now() - began) / (until - began));
      }
      return plays;
    },
    /** Ships to `url` until all is delivered; `onResult` gets the result of each try. */
    ship: async (url: string, onResult: (result: SegmentResult) => void) => {
      const http = { fetch, clock, schedule: timers };
      const shipper = startShipper({
        records,
        key,
        clock,
        schedule: timers,
        ...SHIPPING,
        random: Math.random,
        log: silentLog,
        rowOf: (entry) => proofRow(entry, { kiosk: key.fingerprint, ...ORIGIN }),
        rest: () => new Promise((resolve) => setImmediate(resolve)),
        send: createSegmentSender({ url, method: 'POST', headers: [] }, key.fingerprint, http),
        onResult,
        onChange: () => {},
      });
      while ((await records.run('proofPosition', {})).waiting > 0) await wait(LOOK_MS);
      shipper.dispose();
    },
  };
}

function reservationOf({ id, at, environment, flightId, campaignId, ...play }: SimplePlay): Play {
  const { source, sourceId, durationMs, caps } = play;
  return {
    id,
    at,
    environment,
    adId: `ad-${flightId}`,
    requestId: 'request',
    flightId,
    campaignId,
    source,
    sourceId,
    mediaUrl: 'https://media.example/a.mp4',
    delivery: 'offline',
    durationMs,
    decision: {
      allowedBy: 'untargeted',
      matchedGroup: null,
      peopleCount: null,
      signalAgeMs: null,
      caps: [...caps],
    },
    ...UNSEEN,
  };
}

const settlementOf = ({ at, isShown, outcome, viewedMs }: SimplePlay) => ({
  outcome,
  viewedMs,
  shownAt: isShown ? at : null,
  endReason: 'ended',
  presentedFrames: null,
  droppedFrames: null,
  stalls: null,
});
