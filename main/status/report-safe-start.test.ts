import { expect, test } from 'vitest';
import type { Fact } from './facts';
import { reportSafeStart } from './report-safe-start';
import { exampleStatus } from './testing/example-status';

test('a safe start says what happened and what to do, until it is over', async () => {
  const facts: Fact[] = [];
  const lines: string[] = [];
  const note = (event: string) => void lines.push(event);
  const log = { debug: note, info: note, warn: note, error: note };
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  reportSafeStart((fact) => void facts.push(fact), over, log);

  const { state, attention, sentence } = exampleStatus(0, facts);
  expect(state).toBe('attention');
  expect(attention).toEqual([
    {
      code: 'safe-start',
      message: expect.stringMatching(/three times within a minute.*without network/),
      advice: expect.stringContaining('Wait: after ten minutes'),
    },
  ]);
  expect(sentence).toContain('Safe start');

  end();
  await over;
  await Promise.resolve();
  expect(exampleStatus(0, facts).attention).toEqual([]);
  expect(lines).toEqual([expect.stringContaining('a safe start'), expect.stringContaining('is over')]);
});
