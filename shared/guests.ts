import { z } from 'zod';

const pixels = z.number().min(1).max(4_096);

/**
 * The contract for guests: `<webview>`s that the kiosk window holds and main
 * controls. The window mounts and unmounts them; everything about what runs
 * inside is main's to see.
 */
export const GuestCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('open'), guest: z.string(), url: z.string(), partition: z.string() }),
  z.object({ type: z.literal('close'), guest: z.string() }),
  /** The page or banner at this address, which a layer of the stage holds, has drawn something. */
  z.object({
    type: z.literal('painted'),
    url: z.string(),
    /** How far its content reaches from its upper left corner, px; null where that is not known. */
    size: z.object({ width: pixels, height: pixels }).nullable(),
  }),
  /** It could not be loaded, or its process died: nothing of it is to be seen. */
  z.object({ type: z.literal('broken'), url: z.string(), detail: z.string().max(300) }),
]);
export type GuestCommand = z.infer<typeof GuestCommand>;
