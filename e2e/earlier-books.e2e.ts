import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { type BareDatabase, writeBareDatabase } from './bare-database';
import { expect } from './expect';
import { pageAt, readTables } from './kiosk';
import { folder, launch, test } from './kiosk-test';
import { signalsCaller } from './signals-caller';
import { BLUE, expectMorePlays, expectOnScreen } from './two-creatives';

// Rule 26: the kiosk finds the books of an earlier version and carries them over, whatever the settings are.

const FIXTURE = join(__dirname, 'fixtures/earlier-books');
const json = <T>(name: string) => JSON.parse(readFileSync(join(FIXTURE, name), 'utf8')) as T;
const database = json<BareDatabase & { readonly killedAt: number }>('database.json');
const settings = json<{ readonly service: object }>('settings.json');

interface Row {
  readonly id: string;
  readonly outcome?: string;
  readonly state?: string;
  readonly url?: string;
  readonly environment: string;
}
const rows = (table: string) => (database.tables[table]?.rows ?? []) as readonly Row[];
const [{ environment: formerName } = { environment: '' }] = rows('plays');
const waiting = rows('beacons').filter(({ state }) => state === 'waiting');

/** Stands for the service of that time; it accepts beacons and answers nothing else. */
let service: Server;
let collected: string[];
test.beforeEach(async () => {
  collected = [];
  service = createServer((request, response) => {
    const isBeacon = request.url?.startsWith('/collect/') ?? false;
    if (isBeacon) collected.push(request.url ?? '');
    response.writeHead(isBeacon ? 204 : 503).end();
  });
  await new Promise<void>((resolve, reject) => {
    service.once('error', reject);
    service.listen(18_080, '127.77.12.9', resolve);
  });
  cpSync(FIXTURE, folder, { recursive: true });
  await writeBareDatabase(folder, database);
});
test.afterEach(async () => {
  service.closeAllConnections();
  await new Promise((resolve) => service.close(resolve));
});

/** Sets the machine's clock to just after the end of the earlier version. */
function clockOfThen(folder: string): string {
  const file = join(folder, 'clock-of-then.cjs');
  const by = database.killedAt + 5_000 - Date.now();
  writeFileSync(file, `const { now } = Date; Date.now = () => now() + ${by};\n`);
  return file;
}

test('caps, plays, playlist and outbox of an earlier version stay in use, also after a change of authUrl and nativeUrl', async () => {
  // Four starts.
  test.slow();
  const requiredScript = clockOfThen(folder);
  const first = await launch(settings, { requiredScript });
  // No answer has come, so the stored playlist plays, except for ads that have reached a cap.
  await expectOnScreen(first, BLUE);
  await expectMorePlays(first, 2);
  await first.status();
  const known = (await first.plays()).filter(({ id }) => rows('plays').some((row) => row.id === id));
  expect(known.map(({ id }) => id).sort()).toEqual(
    rows('plays')
      .map(({ id }) => id)
      .sort(),
  );
  // The end of the play on the screen is unknown: it counts (rule 8).
  const [cutOff] = rows('plays').filter(({ outcome }) => outcome === 'reserved');
  expect(known.find(({ id }) => id === cutOff?.id)).toMatchObject({ outcome: 'unknown' });
  const told = await (await signalsCaller(folder).get('/v1/plays')).text();
  for (const { id } of rows('plays')) expect(told).toContain(id);
  // Waiting beacons are sent; none that was sent before is sent again.
  await expect.poll(async () => (await first.status()).beacons.pending).toBe(0);
  expect(collected.filter((path) => !path.includes('ad=blue'))).toEqual([]);
  const records = await pageAt(first.app, 'endcap://records/');
  const statesOfWaiting = async () => {
    const read = await records.evaluate(readTables, [{ beacons: null }, true] as const);
    const { beacons } = JSON.parse(read ?? '{}') as { beacons: readonly Row[] };
    return new Set(waiting.map(({ id }) => beacons.find((row) => row.id === id)?.state));
  };
  expect(waiting).toHaveLength(18);
  await expect.poll(statesOfWaiting).toEqual(new Set(['sent']));
  expect(await first.terminate()).toBe(0);

  const moved = { authUrl: 'http://127.77.12.9:18081', nativeUrl: 'http://127.77.12.9:18082' };
  const second = await launch(
    { ...settings, service: { ...settings.service, ...moved } },
    { requiredScript },
  );
  await expectOnScreen(second, BLUE);
  await expectMorePlays(second, 2);
  const all = await second.plays();
  expect(new Set(all.map((play) => play.environment))).toEqual(new Set([formerName]));
  const later = all.filter(({ id }) => !rows('plays').some((row) => row.id === id));
  expect(new Set(later.map(({ adId }) => adId))).toEqual(new Set(['blue']));
});
