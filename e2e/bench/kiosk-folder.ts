import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { pageAt, removeFolder, root, startKiosk } from '../kiosk';
import { openWorld } from '../kiosk-test';
import { BLUE, kioskSettings } from '../two-creatives';
import { until } from '../until';
import { fillWithPlays, startNewLog, tableNames, tablesInOrder } from './play-history';

/** A data folder of a kiosk that has played before, with its settings file. */
export interface KioskFolder {
  readonly config: string;
  readonly dataDir: string;
}

/** What the prepared kiosks play, and its colour on the display. */
export const CREATIVE = join(root, 'e2e/fixtures/blue-2s.mp4');
export const CREATIVE_COLOUR = BLUE;

const MILLION = 1_000_000;

/** Prepared folders are stored here for later runs. */
export const benchData = process.env.ENDCAP_BENCH_DATA ?? join(root, 'out/bench-data');

/**
 * A kiosk with one video in its playlist and cache, a million plays or almost none in its books, and a
 * service that no longer exists. The folder is reused by later runs, and made again when the format of the
 * books changes.
 */
export async function kioskFolder(history: 'no-plays' | 'million-plays'): Promise<KioskFolder> {
  const dataDir = join(benchData, history);
  const folder = { dataDir, config: join(dataDir, 'config.json') };
  const stampFile = join(dataDir, 'bench-stamp');
  const stamp = stampOfBooks();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return folder;

  const unfinished = `${dataDir}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  if (history === 'no-plays') {
    await playOnce(unfinished);
  } else {
    cpSync((await kioskFolder('no-plays')).dataDir, unfinished, { recursive: true });
    await addHistory(unfinished);
  }
  writeFileSync(join(unfinished, 'bench-stamp'), stamp);
  removeFolder(dataDir);
  renameSync(unfinished, dataDir);
  return folder;
}

/** A copy for a benchmark that changes what is in the folder. */
export function copyOf(folder: KioskFolder, name: string): KioskFolder & { remove(): void } {
  const dataDir = join(benchData, name);
  const remove = () => removeFolder(dataDir);
  remove();
  cpSync(folder.dataDir, dataDir, { recursive: true });
  // The next measurement must not wait for these writes.
  execFileSync('sync', ['-f', dataDir]);
  return { dataDir, config: join(dataDir, 'config.json'), remove };
}

export function settingsOf({ config }: Pick<KioskFolder, 'config'>): object {
  return JSON.parse(readFileSync(config, 'utf8')) as object;
}

/** A hash that changes with the format of what is stored. */
function stampOfBooks(): string {
  const sources = [
    ...['renderer/records/database.ts', 'renderer/records/rows.ts', 'renderer/records/commands.ts'],
    ...['renderer/records/sequence.ts', 'shared/beacon.ts', 'shared/proof-sequence.ts'],
    ...['shared/records.ts', 'shared/books.ts', 'shared/play.ts', 'shared/ad.ts'],
    ...['main/records/book-names.ts', 'main/media/stored-media.ts', 'e2e/bench/kiosk-folder.ts'],
    'e2e/bench/play-history.ts',
  ];
  const hash = createHash('sha256');
  for (const source of sources) hash.update(readFileSync(join(root, source)));
  return hash.digest('hex');
}

async function playOnce(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  await using world = await openWorld();
  const { service } = world;
  service.setMedia('creative.mp4', readFileSync(CREATIVE), 'video/mp4');
  service.setAds([
    {
      id: 'creative',
      durationSeconds: 2,
      media: [{ name: 'creative.mp4', type: 'video/mp4', width: 1280, height: 720 }],
      metadata: { flight_id: 'flight', source: 'SOURCE_TYPE_CMS', source_id: 'cms' },
    },
  ]);
  const { ads, ...settings } = kioskSettings(service, service.settings().ads.refreshSeconds);
  const kiosk = await world.launch({ ...settings, ads: { ...ads, maxAgeDays: 3650 } }, { dataDir });
  await until(async () => (await kiosk.status()).now?.adId === 'creative');
  await until(async () => (await kiosk.plays()).some((play) => play.outcome === 'completed'));
  await kiosk.terminate();
}

async function addHistory(dataDir: string): Promise<void> {
  await whileClosed({ dataDir, config: join(dataDir, 'config.json') }, async (records) => {
    console.log('storing a million plays, once for all later runs');
    await fillWithPlays(records, MILLION);
    await startNewLog(records, dataDir);
    await tablesInOrder(dataDir);
  });
}

/**
 * Makes the folder's database begin a new log. Each start reads the whole log, and each adds to it, whatever
 * the history; with new logs, folders and runs can be compared. Then starts the kiosk until a start compacts nothing: the
 * measured ones are too short to end a compaction, so each of them would begin it again.
 */
export async function withNewLog(folder: KioskFolder): Promise<void> {
  await whileClosed(folder, (records) => startNewLog(records, folder.dataDir));
  for (let before = ''; before !== tableNames(folder.dataDir); ) {
    before = tableNames(folder.dataDir);
    await whileClosed(folder, () => tablesInOrder(folder.dataDir));
  }
}

/**
 * Runs `work` in the records window of a kiosk whose store is closed. A playing kiosk would count on from the
 * books in its memory and overwrite what `work` changes in the database.
 */
async function whileClosed(
  { config, dataDir }: KioskFolder,
  work: (records: Page) => Promise<void>,
): Promise<void> {
  const settings = readFileSync(config, 'utf8');
  const closed = { ...settingsOf({ config }), playback: { openHours: { timeZone: 'UTC' } } };
  const kiosk = await startKiosk({ dataDir, settings: closed });
  await kiosk.status();
  await work(await pageAt(kiosk.app, 'endcap://records/'));
  await kiosk.terminate();
  writeFileSync(config, settings);
}
