import { z } from 'zod';
import { Play } from './play';

/** What is on the screen, was or comes: the one shape that the player, the status and the overlay share. */
export const Showing = z.object({
  /** Where its ad came from; null: the brand card. */
  delivery: Play.shape.delivery.nullable(),
  adId: z.string().nullable(),
  flightId: z.string().nullable(),
  campaignId: z.string().nullable(),
  sourceId: z.string().nullable(),
  /** Without its query, which may hold a key. */
  mediaUrl: z.string().nullable(),
  /** When it began, or begins as things are now; null: it waits. Ms since the epoch, UTC. */
  at: z.number().nullable(),
  /** Null: not known yet, or until something may play. */
  durationMs: z.number().min(0).nullable(),
});
export type Showing = z.infer<typeof Showing>;

export type ShowingKind = 'ad' | 'native' | 'house' | 'card';

export function showingKind({ delivery }: Pick<Showing, 'delivery'>): ShowingKind {
  if (delivery === null) return 'card';
  return delivery === 'native' || delivery === 'house' ? delivery : 'ad';
}
