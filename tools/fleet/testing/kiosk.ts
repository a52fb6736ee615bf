import { generateKeyPairSync } from 'node:crypto';
import { signingKeyOf } from '../../../main/admin/signing-key';
import {
  draftSegment,
  jsonLine,
  type Manifest,
  type PlayFields,
  type SegmentAbout,
} from '../../../main/fleet/segment';

/** The segments that a simulated kiosk makes, chained and signed as a real one does. */
export interface KioskSegments {
  /** Fingerprint of its key. */
  readonly kiosk: string;
  /** `ed25519:…`, as a list of accepted kiosks holds it. */
  readonly publicKey: string;
  /** Makes the next segment of an epoch. The rows must follow those of the last one. */
  readonly cut: (rows: readonly PlayFields[], madeAt: number, setAside?: SegmentAbout['setAside']) => Segment;
}

export interface Segment {
  /** The lines of its body, the manifest last. */
  readonly body: string;
  readonly manifest: Manifest;
}

/** A kiosk with a new key. `claims`: the kiosk id that it states; absent: the fingerprint of its key. */
export function kioskSegments(claims?: string): KioskSegments {
  const key = signingKeyOf(generateKeyPairSync('ed25519').privateKey);
  const kiosk = claims ?? key.fingerprint;
  const heads = new Map<number, string>();
  return {
    kiosk,
    publicKey: key.publicKey,
    cut: (rows, madeAt, setAside = []) => {
      const epoch = rows[0]?.epoch ?? 0;
      const predecessor = heads.get(epoch) ?? null;
      const draft = draftSegment({ kiosk, epoch, predecessor, setAside }, key);
      const lines = draft.add(rows);
      const manifest = draft.seal(madeAt);
      heads.set(epoch, manifest.digest);
      return { body: lines + jsonLine(manifest), manifest };
    },
  };
}
