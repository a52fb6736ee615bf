import { z } from 'zod';
import { LinearCreative } from './ad';
import { plain } from './plain';

const text = plain.textOrNull;
const pixels = z.number().positive().nullable();

/** A picture as the service names it: http(s), size in pixels or null where it does not say. */
export const NativePicture = z.object({ url: plain.text, width: pixels, height: pixels });
export type NativePicture = z.infer<typeof NativePicture>;

/**
 * Assets that the card shows unchanged. To add one, add a line here, its reader in `main/native/assets.ts` and its
 * place in `renderer/kiosk/native-card/native-card.tsx`; everything in between is derived.
 */
const CardWords = z.object({
  title: text,
  description: text,
  /** 0 to 5 stars. */
  rating: z.number().min(0).max(5).nullable(),
});
export const CARD_WORDS = CardWords.keyof().options;

/** Assets that the card shows as small pictures: fetched, verified and decoded before. Add a new one as above. */
const cardPictures = <Picture extends z.ZodType>(picture: Picture) => ({ icon: picture });
export const CARD_PICTURES = z.object(cardPictures(text)).keyof().options;

/** The assets of an ad; null where it has none. */
export const NativeAssets = CardWords.extend(cardPictures(NativePicture.nullable())).extend({
  banner: NativePicture.nullable(),
  callToAction: text,
  standardBanner: NativePicture.nullable(),
  htmlBanner: z.object({ html: plain.text, width: pixels, height: pixels }).nullable(),
  /** Of a `vast2` asset. It has no service metadata (rule 2). */
  video: LinearCreative.nullable(),
});
export type NativeAssets = z.infer<typeof NativeAssets>;

/** `other`: a model that this version does not know; null: the answer states none. */
export const RevenueModel = z.enum(['CPA', 'CPC', 'CPM', 'other']);
export type RevenueModel = z.infer<typeof RevenueModel>;

/** "About this ad": who delivers it, and where to read more. */
export const ContentInfo = z.object({ link: text, icon: text, text });
export type ContentInfo = z.infer<typeof ContentInfo>;

export const NativeMeta = z.object({
  /** Payout in points, for the operator only: never shown to shoppers. */
  points: z.number().min(0).nullable(),
  revenueModel: RevenueModel.nullable(),
  campaignId: text,
  creativeId: text,
  bundleId: text,
  contentInfo: ContentInfo.nullable(),
});
export type NativeMeta = z.infer<typeof NativeMeta>;

/** One beacon; its identity is its position in the ad's list, so that duplicates count (rule 16). */
export const NativeBeacon = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('impression-url'), url: plain.text }),
  /** Bare script, or markup with `<script>` elements. */
  z.object({ kind: z.literal('impression-script'), script: plain.text }),
  z.object({ kind: z.literal('click'), url: plain.text }),
]);
export type NativeBeacon = z.infer<typeof NativeBeacon>;

/** One ad of one native answer. It is confirmed at most once, and never shown from storage (rule 16). */
export const NativeAd = z.object({
  /** Our id of the answer and the ad's index in it, created at receipt. */
  instance: z.string().min(1),
  /** Verbatim: see `linkTarget` for how it is used. Null where the ad has none. */
  link: text,
  assetGroupId: plain.textOrNull,
  assets: NativeAssets,
  meta: NativeMeta,
  /** In the answer's order. */
  beacons: z.array(NativeBeacon),
});
export type NativeAd = z.infer<typeof NativeAd>;

const mediaUrl = z.string().startsWith('media://');
const ShownPicture = z.object({ url: mediaUrl, width: pixels, height: pixels });
const Frame = z.object({ width: z.number().positive(), height: z.number().positive() });

/** What fills the card's picture area: an image, or a frame of this shape that holds a banner's guest or a video. */
const NativeCardPicture = z.discriminatedUnion('kind', [
  ShownPicture.extend({ kind: z.literal('image') }),
  Frame.extend({ kind: z.literal('html') }),
  Frame.extend({ kind: z.literal('video') }),
]);

/** What the kiosk window draws of a native ad: plain values, pictures only as verified files. */
export const NativeCardContent = CardWords.extend(cardPictures(mediaUrl.nullable())).extend({
  instance: z.string().min(1),
  picture: NativeCardPicture.nullable(),
  /** Null where a tap would lead nowhere: then no button is drawn. */
  callToAction: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('text'), text: plain.text }),
      /** The ad can be followed but has no text for the button. */
      z.object({ kind: z.literal('default') }),
    ])
    .nullable(),
  contentInfo: z.object({ text, icon: mediaUrl.nullable(), tappable: plain.yesOrNo }).nullable(),
});
export type NativeCardContent = z.infer<typeof NativeCardContent>;

/** The parts of a card that a tap can land on. */
export const NativeCardPart = z.enum(['call-to-action', 'picture', 'words', 'content-info']);
export type NativeCardPart = z.infer<typeof NativeCardPart>;
