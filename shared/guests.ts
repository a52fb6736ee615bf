import { z } from 'zod';

/**
 * The contract for guests: `<webview>`s that the kiosk window holds and main
 * controls. The window mounts and unmounts them; everything about what runs
 * inside is main's to see.
 */
export const GuestCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('open'), guest: z.string(), url: z.string(), partition: z.string() }),
  z.object({ type: z.literal('close'), guest: z.string() }),
]);
export type GuestCommand = z.infer<typeof GuestCommand>;
