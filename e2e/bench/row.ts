import { z } from 'zod';

const Budget = z.object({
  /** What is limited: the measured value itself, or its ratio to the baseline. */
  of: z.enum(['value', 'ratio']),
  most: z.number(),
});

export const Row = z.object({
  name: z.string(),
  unit: z.enum(['ms', 'MB', 'cores', 'frames', 'count']),
  value: z.number(),
  /** In the same unit and from the same run; null where there is nothing to compare with. */
  baseline: z.number().nullable(),
  ratio: z.number().nullable(),
  /** Empty: the row is only for information. */
  budgets: z.array(Budget),
  /** Everything that was measured, by name. */
  samples: z.record(z.string(), z.array(z.number())),
  /** Further figures, printed at the end of the row. */
  details: z.record(z.string(), z.union([z.number(), z.string()])),
});
export type Row = z.infer<typeof Row>;

/** Name of the attachment that carries a row from a benchmark to the reporter. */
export const ROW_ATTACHMENT = 'benchmark-row';
