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
