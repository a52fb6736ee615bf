import { mkdir, mkdtemp, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordedAction } from '../../shared/admin';
import { silentLog } from '../../shared/log';
import { openActionRecord } from './action-record';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-actions-'));
  file = join(folder, 'actions.ndjson');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const action = (at: number, minutes = 15): RecordedAction => ({
  at,
  action: 'pause',
  detail: { kind: 'minutes', minutes },
  outcome: 'done',
});

describe('the record of actions', () => {
  it('is kept across restarts, readable only by the kiosk, latest first', async () => {
    const record = await openActionRecord(file, silentLog);
    await record.note(action(1));
    await record.note(action(2));
    expect((await openActionRecord(file, silentLog)).latest(10)).toEqual([action(2), action(1)]);
    expect((await openActionRecord(file, silentLog)).latest(1)).toEqual([action(2)]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('is read even with incomplete and invalid lines', async () => {
    await writeFile(
      file,
      `${JSON.stringify(action(1))}\nnonsense\n${JSON.stringify(action(2))}\n{"at":3,"act`,
    );
    expect((await openActionRecord(file, silentLog)).latest(10)).toEqual([action(2), action(1)]);
  });

  it('keeps what is noted after a line that a power cut left incomplete', async () => {
    await writeFile(file, `${JSON.stringify(action(1))}\n{"at":2,"act`);
    const record = await openActionRecord(file, silentLog);
    await record.note(action(3));
    await record.note(action(4));
    expect((await openActionRecord(file, silentLog)).latest(10)).toEqual([action(4), action(3), action(1)]);
  });

  it('is read as an earlier version wrote it, in English', async () => {
    await writeFile(file, `${JSON.stringify({ ...action(1), detail: '15 minutes' })}\n`);
    expect((await openActionRecord(file, silentLog)).latest(1)).toEqual([
      { ...action(1), detail: { kind: 'text', text: '15 minutes' } },
    ]);
  });

  it('has a bounded size', async () => {
    const detail = { kind: 'text', text: 'x'.repeat(500) };
    const lines = Array.from({ length: 2_000 }, (_, at) => `${JSON.stringify({ ...action(at), detail })}\n`);
    await writeFile(file, lines.join(''));
    const record = await openActionRecord(file, silentLog);
    await record.note(action(2_000));
    expect((await stat(file)).size).toBeLessThan(300 * 1024);
    const [newest, before] = (await openActionRecord(file, silentLog)).latest(2);
    expect([newest?.at, before?.at]).toEqual([2_000, 1_999]);
  });

  it('holds each action once, even if several come while it is cut', async () => {
    await writeFile(
      file,
      Array.from({ length: 1_000 }, (_, at) => `${JSON.stringify(action(at))}\n`).join(''),
    );
    const record = await openActionRecord(file, silentLog);
    await Promise.all([1_000, 1_001, 1_002].map((at) => record.note(action(at))));
    const latest = (await openActionRecord(file, silentLog)).latest(4);
    expect(latest.map(({ at }) => at)).toEqual([1_002, 1_001, 1_000, 999]);
    expect(record.latest(4)).toEqual(latest);
  });

  it('is never replaced by a run that could not read it', async () => {
    await mkdir(file);
    const record = await openActionRecord(file, silentLog);
    await rmdir(file);
    const stored = `${JSON.stringify(action(1))}\n`;
    await writeFile(file, stored);
    await Promise.all(Array.from({ length: 1_002 }, (_, at) => record.note(action(at + 2))));
    expect(await readFile(file, 'utf8')).toMatch(new RegExp(`^${stored.trim()}`));
    expect(record.latest(1_000)).toHaveLength(500);
  });

  it('does not stop actions if it cannot be written', async () => {
    const record = await openActionRecord(join(folder, 'gone', 'actions.ndjson'), silentLog);
    await record.note(action(1));
    expect(record.latest(10)).toEqual([action(1)]);
  });
});
