import { z } from 'zod';
import { plain } from './plain';

/** The kind of keyboard that a field of a page needs. */
export const KeyboardField = z.enum(['text', 'email', 'number']);
export type KeyboardField = z.infer<typeof KeyboardField>;

/** A key of the on-screen keyboard that is sent to the page. */
export const PageKey = z.discriminatedUnion('kind', [
  /** Types one character. */
  z.object({ kind: z.literal('text'), text: z.string().regex(/^\P{Cc}$/u) }),
  z.object({ kind: z.enum(['backspace', 'left', 'right', 'space', 'enter']) }),
]);
export type PageKey = z.infer<typeof PageKey>;

/** The page as a guest that the kiosk page holds, used where the picture is rotated. */
export const LinkGuest = z.object({
  /** A new number means a new guest. */
  id: plain.whole,
  url: plain.text,
  partition: plain.text,
  /** Whether it has something to show. */
  isShown: plain.yesOrNo,
});
export type LinkGuest = z.infer<typeof LinkGuest>;

/** What both kinds of frame have. */
const common = {
  /** Whole seconds until the kiosk goes back by itself. */
  secondsLeft: plain.count,
  language: plain.text,
  /** The kind of field that has the focus and needs our keyboard; null: none. */
  keyboard: KeyboardField.nullable(),
  /** Absent when there is no page, or when it lies over the window. */
  guest: LinkGuest.optional(),
};

/** The frame around a page that an ad leads to, or a code to scan instead (rule 18). */
export const LinkFrame = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('page'),
    url: plain.text,
    state: z.enum(['loading', 'open', 'failed']),
    ...common,
  }),
  z.object({
    kind: z.literal('code'),
    /** Rows of modules, `1` being dark. */
    rows: z.array(z.string().regex(/^[01]+$/)).max(200),
    target: plain.text,
    title: plain.textOrNull,
    ...common,
  }),
]);
export type LinkFrame = z.infer<typeof LinkFrame>;

/** Main to the kiosk window: the frame to show; null: none. */
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
    x: plain.number,
    y: plain.number,
    width: plain.number,
    height: plain.number,
  }),
]);
export type LinkEvent = z.infer<typeof LinkEvent>;
