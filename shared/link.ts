import { z } from 'zod';
import { KeyboardField, PageKey } from './keyboard';

/** The page, where it is turned with the picture: a guest that the kiosk page holds. */
export const LinkGuest = z.object({
  /** Another number is another guest. */
  id: z.int(),
  url: z.string(),
  partition: z.string(),
  /** It has something to show. */
  isShown: z.boolean(),
});
export type LinkGuest = z.infer<typeof LinkGuest>;

const around = {
  /** Whole seconds until the way back is taken by itself, and what they count down from. */
  secondsLeft: z.int().min(0),
  seconds: z.int().positive(),
  language: z.string(),
  /** The field of the page that is typed into, with our keyboard; null: none. */
  keyboard: KeyboardField.nullable(),
  /** Absent: there is no page, or it lies over the window. */
  guest: LinkGuest.optional(),
};

/** What surrounds, or stands in for, a page that an ad leads to (rule 18). */
export const LinkFrame = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('page'),
    url: z.string(),
    state: z.enum(['loading', 'open', 'failed']),
    ...around,
  }),
  z.object({
    kind: z.literal('code'),
    /** Rows of modules, `1` being dark. */
    rows: z.array(z.string().regex(/^[01]+$/)).max(200),
    target: z.string(),
    title: z.string().nullable(),
    ...around,
  }),
]);
export type LinkFrame = z.infer<typeof LinkFrame>;

/** Main to the kiosk window: what to show; null: nothing any more. */
export const LinkCommand = z.object({ frame: LinkFrame.nullable() });
export type LinkCommand = z.infer<typeof LinkCommand>;

/** The kiosk window to main. */
export const LinkEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('back') }),
  /** The shopper needs longer than the idle time. */
  z.object({ type: z.literal('moreTime') }),
  /** A key of the keyboard, for the field of the page that has the focus. */
  z.object({ type: z.literal('key'), key: PageKey }),
  z.object({ type: z.literal('hideKeyboard') }),
  /** Where the page goes, px of the window. */
  z.object({
    type: z.literal('bounds'),
    x: z.number(),
    y: z.number(),
    width: z.number(),
    height: z.number(),
  }),
]);
export type LinkEvent = z.infer<typeof LinkEvent>;
