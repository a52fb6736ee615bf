import { z } from 'zod';

/** What a field of a page is typed with. */
export const KeyboardField = z.enum(['text', 'email', 'number']);
export type KeyboardField = z.infer<typeof KeyboardField>;

/** A key of the on-screen keyboard that a page feels. */
export const PageKey = z.discriminatedUnion('kind', [
  /** Types one character. */
  z.object({ kind: z.literal('text'), text: z.string().regex(/^\P{Cc}$/u) }),
  z.object({ kind: z.enum(['backspace', 'left', 'right', 'space', 'enter']) }),
]);
export type PageKey = z.infer<typeof PageKey>;

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
  /** Whole seconds until the way back is taken by itself. */
  secondsLeft: z.int().min(0),
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
