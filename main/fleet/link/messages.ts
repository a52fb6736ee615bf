import { z } from 'zod';
import { plain } from '../../../shared/plain';
import { orNewer } from './commands';

// The retained messages of a kiosk, as JSON. Operators' tools read them: only add fields.

const instant = z.iso.datetime();
const problem = z.object({ code: plain.text, message: plain.text, advice: plain.textOrNull });
const store = {
  storeId: plain.textOrNull,
  zone: plain.textOrNull,
  screenId: plain.textOrNull,
  labels: z.record(plain.text, plain.text),
};

export const KioskState = z.enum([
  'starting',
  'playing',
  'paused',
  'closed',
  'held',
  'no-content',
  'attention',
]);
export type KioskState = z.infer<typeof KioskState>;

/** Topic `state`, retained. The last will has `online: false`, and null or empty fields for all that changes. */
export const StateMessage = z.object({
  kiosk: plain.text,
  online: plain.yesOrNo,
  /** When this message was made; of a last will: when the kiosk began to connect. */
  at: instant,
  ...store,
  groups: z.array(plain.text),
  /** Null in the last will. */
  state: orNewer(KioskState).nullable(),
  /** When the status came into its state; null in the last will, absent from older versions. */
  since: instant.nullable().optional(),
  sentence: plain.textOrNull,
  problems: z.array(problem).max(20),
  versions: z.object({ endcap: plain.text, electron: plain.textOrNull }),
  startedAt: instant.nullable(),
  /** Correction that is applied to the kiosk's clock, ms. */
  clockCorrectionMs: plain.numberOrNull,
  /** Versions of the blocks in force, by addressee. */
  blocks: z.record(plain.text, plain.whole),
});
export type StateMessage = z.infer<typeof StateMessage>;

const shown = z.object({
  kind: orNewer(z.enum(['ad', 'native', 'house', 'card', 'announcement'])),
  adId: plain.textOrNull,
  flightId: plain.textOrNull,
  campaignId: plain.textOrNull,
  sourceId: plain.textOrNull,
  mediaUrl: plain.textOrNull,
});

/** `now`, retained. */
export const NowMessage = z.object({
  kiosk: plain.text,
  at: instant,
  now: shown.extend({ startedAt: instant.nullable(), durationMs: plain.numberOrNull }).nullable(),
  next: shown.nullable(),
});
export type NowMessage = z.infer<typeof NowMessage>;

/** `proof`, retained. */
export const ProofMessage = z.object({
  kiosk: plain.text,
  at: instant,
  waiting: plain.whole.nullable(),
  oldestAt: instant.nullable(),
  lastSentAt: instant.nullable(),
  setAside: plain.whole,
});
export type ProofMessage = z.infer<typeof ProofMessage>;

/** `inventory`, retained. */
export const InventoryMessage = z.object({
  kiosk: plain.text,
  at: instant,
  publicKey: plain.text,
  hostName: plain.text,
  addresses: z.array(plain.text),
  os: plain.text,
  cpu: plain.text,
  cores: plain.whole,
  memoryBytes: plain.number,
  displays: z.array(z.object({ width: plain.whole, height: plain.whole, rotation: plain.number })),
  versions: z.object({
    endcap: plain.text,
    electron: plain.textOrNull,
    chromium: plain.textOrNull,
    node: plain.text,
  }),
});
export type InventoryMessage = z.infer<typeof InventoryMessage>;
