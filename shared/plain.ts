import { z } from 'zod';

const text = z.string();
const number = z.number();
const whole = z.int();

/**
 * The schemas that contracts consist of most, each made once: every schema takes time at a start
 * (`docs/decisions/0008-what-was-tried-for-the-start.md`).
 */
export const plain = {
  text,
  textOrNull: text.nullable(),
  number,
  numberOrNull: number.nullable(),
  whole,
  /** A whole number from 0. */
  count: whole.min(0),
  yesOrNo: z.boolean(),
} as const;
