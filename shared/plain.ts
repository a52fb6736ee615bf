import { z } from 'zod';

const text = z.string();
const number = z.number();
const whole = z.int();

/**
 * The schemas that most contracts consist of, each made once. A start makes some 1,500 schemas in three processes; with
 * one for each use it would make 2,000, which takes 3 % longer (`docs/decisions/0008-what-was-tried-for-the-start.md`).
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
