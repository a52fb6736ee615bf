import type { ProofRow, RowOrigin } from '../../shared/proof-row';
import type { SequenceEntry } from '../../shared/proof-sequence';
import { exportFields } from '../records/exported-plays';
import { canonicalJson } from './segment';

/** A play's row without its digest, in column order (docs/proof-of-play.md). `withDigest` cleans its values. */
export function proofRow(entry: SequenceEntry, origin: RowOrigin): Omit<ProofRow, 'digest'> {
  const { epoch, seq, rev, play } = entry;
  const { creative, decision } = play;
  const { creativeId, assetGroupId, bundleId, revenueModel, guestErrors, ...exported } = exportFields(entry);
  return {
    kind: 'play',
    kiosk: origin.kiosk,
    epoch,
    seq,
    rev,
    ...exported,
    guestErrors,
    playerId: origin.playerId,
    ...placeOf(origin),
    mediaSha256: creative?.sha256 ?? null,
    mediaType: creative?.mediaType ?? null,
    universalAdIdRegistry: creative?.universalAdId?.registry ?? null,
    universalAdId: creative?.universalAdId?.value ?? null,
    adServingId: creative?.adServingId ?? null,
    creativeId,
    assetGroupId,
    bundleId,
    revenueModel,
    allowedBy: decision?.allowedBy ?? null,
    matchedGroup: decision?.matchedGroup ?? null,
    peopleCount: decision?.peopleCount ?? null,
    signalAgeMs: decision?.signalAgeMs ?? null,
    caps: decision ? JSON.stringify(decision.caps.map(({ window, limit }) => ({ window, limit }))) : null,
  };
}

function placeOf({ store: { storeId, zone, screenId, labels } }: RowOrigin) {
  // One invalid value must not block all plays.
  const fit = Object.entries(labels).map(([name, value]) => [name, value.toWellFormed()]);
  return { storeId, zone, screenId, labels: canonicalJson(Object.fromEntries(fit)) };
}
