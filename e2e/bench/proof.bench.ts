import { existsSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { test } from 'playwright/test';
import { type ClickHouse, clickHouseAt } from '../../tools/fleet/clickhouse-client';
import { startDebianServer } from '../../tools/fleet/debian-server';
import { schemaOf } from '../chaos/fleet-commands';
import { type Kiosk, pageAt, startKiosk } from '../kiosk';
import { type Footprint, footprintOf } from '../process-tree';
import { openRecordsPort } from '../records-port';
import { until } from '../until';
import { frameGaps, reportLateFrames } from './frame-gaps';
import { benchData, copyOf, kioskFolder, settingsOf } from './kiosk-folder';
import { report } from './report';
import { AT_ONCE, plainTransactions, reservations, reserve } from './reservations';
import { median, pairedRatio, percentile } from './statistics';

const PLAYS = 1_000_000;
const CALM_MS = 20_000;
/** Interval of the memory samples while plays are shipped, ms. */
const LOOK_MS = 5_000;
/** Upper bound of the samples; each needs a batch of reservations. The million is shipped before that. */
const MAX_LOOKS = 200;
/** Play rate of a busy kiosk, to estimate what share of a core its proof of play takes. */
const PLAYS_A_SECOND = 6 / 60;
/** Rows of a segment that a kiosk sends every quarter of an hour. */
const SEGMENT_ROWS = 90;
const RATE_MS = 20_000;
const REQUESTS_AT_ONCE = 8;
/** Data folder of the receiver: not on the kiosk's disk, because a fleet's receiver never shares it. */
const RECEIVER_DATA = existsSync('/dev/shm') ? '/dev/shm' : benchData;

test('a million plays are shipped to ClickHouse while the kiosk plays', async () => {
  test.setTimeout(40 * 60_000);
  const folder = copyOf(await kioskFolder('million-plays'), 'proof');
  const server = await startDebianServer(RECEIVER_DATA);
  let kiosk: Kiosk | null = null;
  try {
    const clickHouse = clickHouseAt(server.url);
    await clickHouse.run(await schemaOf());
    const url = `${server.url}?query=${encodeURIComponent('INSERT INTO plays FORMAT JSONEachRow')}`;
    kiosk = await startKiosk({
      dataDir: folder.dataDir,
      settings: { ...settingsOf(folder), proof: { url, everySeconds: 60 } },
    });
    const running = kiosk;
    await until(async () => (await running.status()).now?.adId === 'creative');
    const calm = await frameGaps(kiosk, CALM_MS);
    await openRecordsPort(kiosk);
    await until(async () => (await rowsIn(clickHouse)) > 0, 120_000);
    const shipped = await shipAll(kiosk, clickHouse);
    await reportShipping(shipped, calm);
  } finally {
    await kiosk?.kill();
    await server.close();
    folder.remove();
  }
});

interface Shipped {
  /** Plays that were shipped during the measurement, and how long it took, ms. */
  readonly plays: number;
  readonly tookMs: number;
  readonly footprints: readonly Footprint[];
  readonly frames: readonly number[];
  readonly reserving: readonly number[];
  /** The same with plain IndexedDB during the same seconds. */
  readonly plain: readonly number[];
}

/** Watches until all plays of the history have arrived; throws when they do not. */
async function shipAll(kiosk: Kiosk, clickHouse: ClickHouse): Promise<Shipped> {
  const footprints = [footprintOf(kiosk.pid)];
  const before = await rowsIn(clickHouse);
  const began = performance.now();
  const frames: number[] = [];
  const reserving: number[] = [];
  const plain: number[] = [];
  const records = await pageAt(kiosk.app, 'endcap://records/');
  const batches = reservations(MAX_LOOKS * AT_ONCE).values();
  for (let rows = before; rows < PLAYS; rows = await rowsIn(clickHouse)) {
    const batch = batches.next().value ?? [];
    reserving.push(...(await reserve(kiosk, batch)));
    plain.push(...(await plainTransactions(records, batch)));
    frames.push(...(await frameGaps(kiosk, LOOK_MS)));
    footprints.push(footprintOf(kiosk.pid));
  }
  return {
    plays: PLAYS - before,
    tookMs: performance.now() - began,
    footprints,
    frames,
    reserving: reserving.slice(AT_ONCE),
    plain: plain.slice(AT_ONCE),
  };
}

async function reportShipping(shipped: Shipped, calm: readonly number[]): Promise<void> {
  const { plays, tookMs, footprints, frames, reserving, plain } = shipped;
  const memory = footprints.map(({ pssMb }) => pssMb);
  const half = Math.floor(memory.length / 2);
  const wholeMs = (tookMs * PLAYS) / plays;
  await report({
    name: 'a million stored plays shipped to ClickHouse while playing',
    unit: 'ms',
    value: wholeMs,
    budgets: [{ of: 'value', most: 600_000 }],
    details: { 'plays a second': (plays * 1000) / tookMs },
  });
  await report({
    name: 'memory while they are shipped, second half (first half)',
    unit: 'MB',
    value: median(memory.slice(half)),
    baseline: median(memory.slice(0, half)),
    ratio: median(memory.slice(half)) / median(memory.slice(0, half)),
    budgets: [{ of: 'ratio', most: 1.1 }],
    samples: { memory },
    details: { 'most MB': Math.max(...memory) },
  });
  await reportLateFrames('while they are shipped (before)', frames, calm, { frames: frames.length });
  await report({
    name: 'durable reservation p99 while they are shipped (plain IndexedDB in the window)',
    unit: 'ms',
    value: percentile(reserving, 0.99),
    baseline: percentile(plain, 0.99),
    ratio: pairedRatio(reserving, plain),
    budgets: [{ of: 'value', most: 10 }],
    samples: { reserving: [...reserving], plain: [...plain] },
    details: {
      'p50 ms': median(reserving),
      'plain p50 ms': median(plain),
      'longest ms': Math.max(...reserving),
      reservations: reserving.length,
    },
  });
  const cpuSeconds = (footprints.at(-1)?.cpuSeconds ?? 0) - (footprints[0]?.cpuSeconds ?? 0);
  await report({
    name: 'processor that a play takes from its row to its delivery, at 6 plays a minute',
    unit: 'cores',
    // An upper bound: it includes everything that the kiosk did meanwhile, also playing.
    value: (cpuSeconds / plays) * PLAYS_A_SECOND,
    budgets: [{ of: 'value', most: 0.01 }],
    details: { 'ms a play': (cpuSeconds * 1000) / plays },
  });
}

test('segments per second that ClickHouse 18.16 accepts, one INSERT each', async () => {
  const server = await startDebianServer(benchData);
  try {
    const clickHouse = clickHouseAt(server.url);
    await clickHouse.run(await schemaOf());
    const began = performance.now();
    const refused: number[] = [];
    let taken = 0;
    let number = 0;
    const sendOn = async () => {
      while (performance.now() - began < RATE_MS) {
        number += 1;
        const status = await clickHouse.send('plays', segmentOf(number));
        if (status === 200) taken += 1;
        else refused.push(status);
      }
    };
    await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, sendOn));
    const seconds = (performance.now() - began) / 1000;
    await report({
      name: `segments of ${SEGMENT_ROWS} plays a second that ClickHouse 18.16 takes here`,
      unit: 'count',
      value: taken / seconds,
      budgets: [],
      details: { refused: refused.length, 'plays a second': (taken * SEGMENT_ROWS) / seconds },
    });
  } finally {
    await server.close();
  }
});

/** Rows as a separate kiosk would send them. */
function segmentOf(number: number): Uint8Array<ArrayBuffer> {
  const kiosk = number.toString(16).padStart(64, '0');
  const at = new Date(Date.UTC(2026, 10, 1)).toISOString();
  const rows = Array.from({ length: SEGMENT_ROWS }, (_, index) => {
    const seq = index + 1;
    const ids = { kind: 'play', kiosk, epoch: 1, seq, rev: 0, id: `${number}-${seq}`, digest: kiosk };
    const ad = { adId: `ad-${seq % 12}`, requestId: 'request', flightId: `flight-${seq % 6}` };
    return JSON.stringify({ ...ids, ...ad, at, outcome: 'completed', viewedMs: 10_000, delivery: 'offline' });
  });
  return new Uint8Array(gzipSync(`${rows.join('\n')}\n`));
}

async function rowsIn(clickHouse: ClickHouse): Promise<number> {
  const [found] = await clickHouse.all("SELECT count() AS rows FROM plays WHERE kind = 'play'");
  return Number(found?.rows);
}
