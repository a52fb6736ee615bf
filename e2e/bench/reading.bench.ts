import { test } from 'playwright/test';
import { report } from './report';
import { rowsOfProgram } from './run-program';

test('reading an ads response', async () => {
  for (const row of await rowsOfProgram('reading')) await report(row);
});
