import { z } from 'zod';
import { plain } from '../../shared/plain';

/** A media file offered by an ad: one of the service's own by `name`, or any `url`. */
const DemoMedia = z
  .strictObject({
    name: z
      .string()
      .refine((name) => name.isWellFormed(), { error: 'expected text without half surrogate pairs' })
      .optional(),
    url: plain.text.optional(),
    type: plain.text,
    width: plain.whole.optional(),
    height: plain.whole.optional(),
    /** kbit/s */
    bitrate: plain.whole.optional(),
    codec: plain.text.optional(),
    delivery: z.string().default('progressive'),
  })
  .refine((media) => (media.name === undefined) !== (media.url === undefined), {
    error: 'expected exactly one of name and url',
  });

/**
 * The declaration of an ad for the demo service. Everything but `id` is optional. Beacons that are left out
 * default to the collector; empty lists mean none.
 */
export const DemoAd = z.strictObject({
  id: plain.text,
  sequence: plain.whole.optional(),
  title: plain.text.optional(),
  media: z.array(DemoMedia).default([]),
  durationSeconds: z.number().nonnegative().nullable().default(null),
  /**
   * The `service-metadata`. An object is sent as it is, with the answer's own
   * `request_id` where it has no such key; a string is sent verbatim, JSON or not;
   * null sends no extension; left out means only a `request_id`.
   */
  metadata: z.union([z.record(plain.text, z.unknown()), plain.text, z.null()]).optional(),
  impressions: z.array(plain.text).optional(),
  tracking: z
    .array(z.strictObject({ event: plain.text, url: plain.text, offset: plain.text.optional() }))
    .optional(),
  errors: z.array(plain.text).optional(),
  clickThrough: plain.text.optional(),
  clickTracking: z.array(plain.text).optional(),
  /** Sends a `<Wrapper>` to this address instead of the media. */
  wrapper: plain.text.optional(),
});
export type DemoAd = z.infer<typeof DemoAd>;
export type DemoAdInput = z.input<typeof DemoAd>;

export const DemoAds = z.array(DemoAd);

/** The ad's metadata if it is an object, else an empty one; the service selects ads by it. */
export function metadataObject(ad: DemoAd): Record<string, unknown> {
  return typeof ad.metadata === 'object' && ad.metadata !== null ? ad.metadata : {};
}
