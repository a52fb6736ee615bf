import { generateKeyPairSync } from 'node:crypto';
import { draftSegment, jsonLine, type PlayFields, type SegmentAbout } from '../../../main/fleet/segment';
import { signingKeyOf } from '../../../main/fleet/signing-key';

export type KioskSegments = ReturnType<typeof kioskSegments>;
export type Segment = ReturnType<KioskSegments['cut']>;

/**
 * The segments that a simulated kiosk with a new key makes, chained and signed as a real one does.
 *
 * @param claims the kiosk id that it states; absent: the fingerprint of its key
 */
export function kioskSegments(claims?: string) {
  const key = signingKeyOf(generateKeyPairSync('ed25519').privateKey);
  const kiosk = claims ?? key.fingerprint;
  const heads = new Map<number, string>();
  return {
    kiosk,
    /** `ed25519:…`, as a list of accepted kiosks holds it. */
    publicKey: key.publicKey,
    /** Makes the next segment of an epoch. The rows must follow those of the last one. */
    cut: (rows: readonly PlayFields[], madeAt: number, setAside: SegmentAbout['setAside'] = []) => {
      const epoch = rows[0]?.epoch ?? 0;
      const predecessor = heads.get(epoch) ?? null;
      const draft = draftSegment({ kiosk, epoch, predecessor, setAside }, key);
      const lines = draft.add(rows);
      const manifest = draft.seal(madeAt);
      heads.set(epoch, manifest.digest);
      /** `body`: its lines, the manifest last. */
      return { body: lines + jsonLine(manifest), manifest };
    },
  };
}
