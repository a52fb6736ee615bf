import { z } from 'zod';

/** A message of the fleet's operator that lies over the ads. */
export const Announcement = z.object({
  text: z.string().min(1).max(500),
  severity: z.enum(['information', 'warning', 'emergency']),
  /** Of the text, a language tag. */
  language: z.string().max(64),
});
export type Announcement = z.infer<typeof Announcement>;
