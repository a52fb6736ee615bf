import { test } from 'playwright/test';
import { report } from './report';
import { rowsOfProgram } from './run-program';

test('choosing an ad', async () => {
  for (const row of await rowsOfProgram('choosing')) await report(row);
});
