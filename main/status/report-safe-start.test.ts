import { expect, test } from 'vitest';
import { reportSafeStart } from './report-safe-start';
import { emptyBoard, type Fact, statusOf, withFact } from './status-board';

test('a safe start says what happened and what to do, until it is over', async () => {
  let board = emptyBoard(0);
  const lines: string[] = [];
  const note = (event: string) => void lines.push(event);
  const log = { debug: note, info: note, warn: note, error: note };
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const tell = (fact: Fact) => {
    board = withFact(board, fact, 1);
  };
  reportSafeStart({ tell }, over, log);

  expect(board.state).toBe('attention');
  expect(board.attention).toEqual([
    {
      code: 'safe-start',
      message: expect.stringMatching(/three times within a minute.*without network/),
      advice: expect.stringContaining('Wait: after ten minutes'),
    },
  ]);
  const moment = {
    now: 1,
    systemNow: 1,
    trusted: false,
    lastTrustedAt: null,
    signals: {} as never,
    memory: {} as never,
  };
  expect(statusOf(board, {} as never, moment).sentence).toContain('Safe start');

  end();
  await over;
  await Promise.resolve();
  expect(board.attention).toEqual([]);
  expect(lines).toEqual([expect.stringContaining('a safe start'), expect.stringContaining('is over')]);
});
