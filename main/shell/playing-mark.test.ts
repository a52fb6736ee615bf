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

test('the mark is not written before the first frame', () => {
  const tell = markPlaying(folder, log);
  tell({ kind: 'decided', next: 'card' });
  tell(held(null));
  expect(readdirSync(folder)).toEqual([]);
  tell(showing);
  expect(mark()).toBe('playing\n');
});

test('the mark shows the start and end of a hold, also before the first frame', () => {
  const tell = markPlaying(folder, log);
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

test('without a folder nothing is written, and a missing folder only causes a log line', () => {
  markPlaying(null, log)(showing);
  expect(lines).toEqual([]);
  rmSync(folder, { recursive: true });
  markPlaying(folder, log)(showing);
  expect(lines).toEqual([expect.stringContaining('could not be written')]);
});
