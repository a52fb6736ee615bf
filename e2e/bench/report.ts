import { test } from 'playwright/test';
import { ROW_ATTACHMENT, type Row } from './row';

type Optional = 'baseline' | 'ratio' | 'samples' | 'details';

/** Adds a row to the results of the running benchmark, which may have several. */
export async function report(row: Omit<Row, Optional> & Partial<Pick<Row, Optional>>): Promise<void> {
  const whole: Row = { baseline: null, ratio: null, samples: {}, details: {}, ...row };
  await test.info().attach(ROW_ATTACHMENT, {
    body: JSON.stringify(whole),
    contentType: 'application/json',
  });
}
