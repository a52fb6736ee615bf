import { test } from 'playwright/test';
import { ROW_ATTACHMENT, type Row } from './row';

/** Adds a row to the results of the running benchmark, which may have several. */
export async function report(row: Omit<Row, 'details'> & { details?: Row['details'] }): Promise<void> {
  const whole: Row = { details: {}, ...row };
  await test.info().attach(ROW_ATTACHMENT, {
    body: JSON.stringify(whole),
    contentType: 'application/json',
  });
}
