import { z } from 'zod';
import { orNewer } from './commands';

// The retained messages of a kiosk, as JSON. Operators' tools read them: only add fields.

const instant = z.iso.datetime();
const problem = z.object({ code: z.string(), message: z.string(), advice: z.string().nullable() });
const store = {
  storeId: z.string().nullable(),
  zone: z.string().nullable(),
  screenId: z.string().nullable(),
  labels: z.record(z.string(), z.string()),
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
  kiosk: z.string(),
  online: z.boolean(),
  /** When this message was made; of a last will: when the kiosk began to connect. */
  at: instant,
  ...store,
  groups: z.array(z.string()),
  /** Null in the last will. */
  state: orNewer(KioskState).nullable(),
  /** When the status came into its state; null in the last will, absent from older versions. */
  since: instant.nullable().optional(),
  sentence: z.string().nullable(),
  problems: z.array(problem).max(20),
  versions: z.object({ endcap: z.string(), electron: z.string().nullable() }),
  startedAt: instant.nullable(),
  /** Correction that is applied to the kiosk's clock, ms. */
  clockCorrectionMs: z.number().nullable(),
  /** Versions of the blocks in force, by addressee. */
  blocks: z.record(z.string(), z.int()),
});
export type StateMessage = z.infer<typeof StateMessage>;

const shown = z.object({
  kind: orNewer(z.enum(['ad', 'native', 'house', 'card', 'announcement'])),
  adId: z.string().nullable(),
  flightId: z.string().nullable(),
  campaignId: z.string().nullable(),
  sourceId: z.string().nullable(),
  mediaUrl: z.string().nullable(),
});

/** `now`, retained. */
export const NowMessage = z.object({
  kiosk: z.string(),
  at: instant,
  now: shown.extend({ startedAt: instant.nullable(), durationMs: z.number().nullable() }).nullable(),
  next: shown.nullable(),
});
export type NowMessage = z.infer<typeof NowMessage>;

/** `proof`, retained. */
export const ProofMessage = z.object({
  kiosk: z.string(),
  at: instant,
  waiting: z.int().nullable(),
  oldestAt: instant.nullable(),
  lastSentAt: instant.nullable(),
  setAside: z.int(),
});
export type ProofMessage = z.infer<typeof ProofMessage>;

/** `inventory`, retained. */
export const InventoryMessage = z.object({
  kiosk: z.string(),
  at: instant,
  publicKey: z.string(),
  hostName: z.string(),
  addresses: z.array(z.string()),
  os: z.string(),
  cpu: z.string(),
  cores: z.int(),
  memoryBytes: z.number(),
  displays: z.array(z.object({ width: z.int(), height: z.int(), rotation: z.number() })),
  versions: z.object({
    endcap: z.string(),
    electron: z.string().nullable(),
    chromium: z.string().nullable(),
    node: z.string(),
  }),
});
export type InventoryMessage = z.infer<typeof InventoryMessage>;
