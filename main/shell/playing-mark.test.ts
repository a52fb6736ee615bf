import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Showing } from '../../shared/play';
import type { PlayerFact } from '../playback/player-fact';
import { markPlaying } from './playing-mark';

const lines: string[] = [];
const note = (line: string) => void lines.push(line);
const log = { debug: note, info: note, warn: note, error: note };
const showing = { kind: 'showing', showing: {} as Showing, stage: null } as unknown as PlayerFact;
const held = (reason: string | null): PlayerFact => ({ kind: 'held', reason });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-playing-'));
  lines.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const mark = () => readFileSync(join(folder, 'playing'), 'utf8');

test('the mark is not written before the first frame', async () => {
  const tell = await inOrdinaryStart(folder);
  tell({ kind: 'decided', next: 'card' });
  tell(held(null));
  expect(readdirSync(folder)).toEqual([]);
  tell(showing);
  expect(mark()).toBe('playing\n');
});

test('the mark shows the start and end of a hold, also before the first frame', async () => {
  const tell = await inOrdinaryStart(folder);
  tell(held('closed'));
  expect(mark()).toBe('held\n');
  tell(held(null));
  tell(showing);
  expect(mark()).toBe('playing\n');
  tell(held('display-off'));
  tell(showing);
  expect(mark()).toBe('held\n');
  tell(held(null));
  expect(mark()).toBe('playing\n');
});

test('nothing that is shown during a safe start counts as playing; what is shown at its end does', async () => {
  let over = () => {};
  const tell = markPlaying(folder, log, new Promise((resolve) => (over = resolve)));
  tell(showing);
  expect(mark()).toBe('safe\n');
  tell(held('closed'));
  expect(mark()).toBe('held\n');
  tell(held(null));
  expect(mark()).toBe('safe\n');
  over();
  await expect.poll(mark).toBe('playing\n');
});

test('without a folder nothing is written, and a missing folder only causes a log line', async () => {
  (await inOrdinaryStart(null))(showing);
  expect(lines).toEqual([]);
  rmSync(folder, { recursive: true });
  (await inOrdinaryStart(folder))(showing);
  expect(lines).toEqual([expect.stringContaining('could not be written')]);
});

async function inOrdinaryStart(folder: string | null) {
  const opened = Promise.resolve();
  const tell = markPlaying(folder, log, opened);
  await opened;
  return tell;
}
