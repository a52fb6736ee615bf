import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFleet } from './fleet-command';
import { runGrowth } from './growth-command';
import { FAULTS } from './simulation/simulate';
import { runSql } from './sql-command';
import { type Engine, startEngine } from './testing/engine';

describe.skipIf(process.platform !== 'linux')('a simulated fleet', () => {
  let engine: Engine;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'endcap-fleet-'));
    engine = await startEngine();
  });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function fleet(...args: readonly string[]) {
    const said: string[] = [];
    const say = (line: string) => said.push(line);
    const options = ['--hours', '2', '--out', folder, '--url', engine.url];
    const exitCode = await runFleet([...options, ...args], { out: say, error: say });
    return { exitCode, said: said.join('\n'), page: readFileSync(join(folder, 'report.html'), 'utf8') };
  }

  it('is billed like its own books, complete and within its caps', async () => {
    const { exitCode, said, page } = await fleet('--kiosks', '3');
    expect(said).not.toContain('books');
    expect(exitCode).toBe(0);
    expect(page).toContain('Equal to the kiosks’ own books');
    expect(page).toContain('no cap was exceeded on any kiosk');
    expect(page).toContain('Nothing is wrong.');
    const [, link = ''] = page.split(/Live link|Silent kiosks/);
    expect(link).toContain('3 of 3 kiosks online');
    expect(link.match(/<td>playing<\/td>/g)).toHaveLength(3);
    expect(link).toContain('<td>ad ad campaign</td>');
  });

  it('shows each fault, at its kiosk', async () => {
    const { exitCode, said, page } = await fleet('--kiosks', String(FAULTS.length), '--faults', 'all');
    expect(exitCode).toBe(1);
    const struck = new Map(
      [...page.matchAll(/<li><b>([a-z-]+)<\/b>: kiosk ([0-9a-f]{16})<\/li>/g)].map(([, fault, kiosk]) => [
        fault,
        kiosk,
      ]),
    );
    expect([...struck.keys()].sort()).toEqual([...FAULTS].sort());
    expect(said).toContain(`segment-missing: kiosk ${struck.get('lost')}`);
    expect(said).toContain(`row-changed: kiosk ${struck.get('tampered')}`);
    expect(said).toContain(`unknown-kiosk: kiosk ${struck.get('forged')}`);
    // A replayed segment is at most a note: the table may have removed the repeat already.
    expect(said).not.toContain(String(struck.get('replayed')));
    expect(page).toMatch(new RegExp(`<td>${struck.get('ignores-caps')}</td><td>coffee-launch</td>`));
    const [, silent = ''] = page.split('Silent kiosks');
    expect(silent).toContain(`<td>${struck.get('silent')}</td>`);
    // The offline kiosk has lost nothing.
    expect(said).not.toContain(String(struck.get('offline')));
  });

  it('ships exactly the plays of its offline time', async () => {
    const said: string[] = [];
    const say = (line: string) => said.push(line);
    expect(await runFleet(['--offline-days', '0.1'], { out: say, error: say })).toBe(0);
    expect(said.join('\n')).toMatch(/^shipped in .* 1 segments/m);
    expect(said.join('\n')).toMatch(/^checked: [\d,]+ plays in 1 segments, 0 errors$/m);
  });

  it('measures queries over plays that are all billed, complete and within their caps', async () => {
    const said: string[] = [];
    const say = (line: string) => said.push(line);
    expect(await runGrowth(['--powers', '3,4', '--out', folder], { out: say, error: say })).toBe(0);
    expect(said.join('\n')).toMatch(/^\| 10,000 \| [\d,]+ ms \| [\d,]+ ms \| [\d,]+ ms \| \d+ \|$/m);
    const plot = readFileSync(join(folder, 'growth.svg'), 'utf8');
    for (const text of ['>1,000<', '>10,000<', '>plays in the table<', '>cap audit<'])
      expect(plot).toContain(text);
    expect(await runGrowth(['--powers', 'many'], { out: say, error: say })).toBe(2);
  });

  it('prints each query for clickhouse-client, and runs it', async () => {
    const said: string[] = [];
    const output = { out: (line: string) => said.push(line), error: (line: string) => said.push(line) };
    const range = ['--from', '2026-11-01T00:00:00Z', '--to', '2026-12-01T00:00:00Z'];
    expect(await runSql(['billing', ...range], output)).toBe(0);
    expect(said[0]).toContain("parseDateTimeBestEffort('2026-11-01T00:00:00Z', 'UTC')");
    expect(await runSql(['billing', ...range, '--url', engine.url], output)).toBe(0);
    expect(said).toHaveLength(1);
    expect(await runSql(['billing', ...range, '--url', `${engine.url}?database=nowhere`], output)).toBe(2);
    expect(said.pop()).toContain('nowhere');
    expect(await runSql(['billing'], output)).toBe(2);
    expect(await runSql(['nothing'], output)).toBe(2);
    said.length = 0;
    for (const [why, ...args] of [
      // The server would take it for a day in January.
      ['--from: expected an RFC 3339 time', 'billing', '--from', '11/01/2026', '--to', '2026-12-01'],
      [
        '--to: expected an RFC 3339 time',
        'billing',
        '--from',
        '2026-11-01',
        '--to',
        '2026-12-01T00:00:00.5Z',
      ],
      ['expected --from before --to', 'billing', '--from', '2026-12-01', '--to', '2026-11-01'],
      // Without the plays before it, no cap of theirs would look exceeded.
      ['expected --history at --from or before', 'cap-audit', ...range, '--history', '2026-11-02'],
      ['completeness takes no --from', 'completeness', '--from', '2026-11-01'],
      ['schema takes no --from', 'schema', '--from', '2026-11-01'],
      ['billing takes no --table', 'billing', ...range, '--table', 'endcap.plays'],
      [
        'expected --ttl-months as a whole number of months, at least 1, got "0"',
        'schema',
        '--ttl-months',
        '0',
      ],
      ['expected one NAME, got billing completeness', 'billing', 'completeness'],
      ['billing needs --from', 'billing'],
    ]) {
      expect(await runSql(args, output)).toBe(2);
      expect(said.pop()).toContain(`fleet-sql: ${why}`);
      expect(said).toEqual([]);
    }
    // Whatever its offset, a time is asked for in UTC.
    expect(
      await runSql(['source-mix', '--from', '2026-11-01t01:00:00+01:00', '--to', '2026-12-01'], output),
    ).toBe(0);
    expect(said[0]).toContain("'2026-11-01T00:00:00Z'");
    expect(said.pop()).toContain("'2026-12-01T00:00:00Z'");
    expect(await runSql(['schema', '--ttl-months', '25', '--cluster', 'fleet'], output)).toBe(0);
    expect(said.at(-1)).toMatch(/ON CLUSTER fleet[\s\S]*TTL receivedAt \+ INTERVAL 25 MONTH\nSETTINGS/);
  });
});
