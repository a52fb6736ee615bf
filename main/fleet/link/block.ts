import { z } from 'zod';

/** Most blocks in one document. */
export const MAX_BLOCKS = 1_000;

const id = z.string().min(1).max(512);

/** One thing that may not be shown. An ad is blocked when any block matches it. */
export const Block = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['flight', 'campaign', 'source', 'ad']), id }),
  /** A file by the hash of its content. */
  z.strictObject({ kind: z.literal('sha256'), id: z.string().regex(/^[0-9a-f]{64}$/) }),
  /** A creative by its URL without query and fragment. */
  z.strictObject({ kind: z.literal('url'), id: z.string().min(1).max(2_048) }),
]);
export type Block = z.infer<typeof Block>;
