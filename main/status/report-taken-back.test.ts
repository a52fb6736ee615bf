import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Fact } from './facts';
import { reportTakenBack } from './report-taken-back';
import { exampleStatus } from './testing/example-status';

let folder: string;
let facts: Fact[];
let lines: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-taken-back-'));
  facts = [];
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const note = (line: string) => void lines.push(line);
const log = { debug: note, info: note, warn: note, error: note };

async function told(text: string | null, running = '0.1.0+1') {
  const file = join(folder, 'taken-back.json');
  if (text !== null) writeFileSync(file, text);
  await reportTakenBack((fact) => void facts.push(fact), file, running, log);
  return exampleStatus(0, facts);
}

test('an update that was reverted is a problem with advice, in status and log', async () => {
  const { state, attention } = await told(
    '{"at":"2026-11-22T03:04:05Z","bad":"0.2.0+2","back":"0.1.0+1","reason":"it did not play within 120 seconds"}\n',
  );
  expect(state).toBe('attention');
  expect(attention).toEqual([
    {
      code: 'update-taken-back',
      message:
        'The update to version 0.2.0+2 was taken back: it did not play within 120 seconds. Version 0.1.0+1 plays.',
      advice: expect.stringContaining('Publish a newer version'),
    },
  ]);
  expect(lines).toEqual(['an update was taken back']);
});

test('the problem is over once a newer version plays, which deletes the report only later', async () => {
  const report = '{"at":"2026-11-22T03:04:05Z","bad":"2","back":"1","reason":"it did not play"}';
  expect((await told(report, '1')).attention).toHaveLength(1);
  [facts, lines] = [[], []];
  expect((await told(report, '3')).attention).toEqual([]);
  expect(lines).toEqual([]);
});

test('without a report, or outside the service, there is no problem', async () => {
  expect((await told(null)).attention).toEqual([]);
  await reportTakenBack((fact) => void facts.push(fact), null, '0.1.0+1', log);
  expect({ facts, lines }).toEqual({ facts: [], lines: [] });
});

test.each(['', '{', '{"bad":"1"}', '{"at":"yesterday","bad":"1","back":"2","reason":""}', 'null'])(
  'a report that cannot be read is only logged: %j',
  async (text) => {
    expect((await told(text)).attention).toEqual([]);
    expect(lines).toEqual([expect.stringContaining('cannot be read')]);
  },
);
