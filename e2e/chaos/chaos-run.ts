import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDemoService } from '../../main/demo-service/demo-service';
import { type ClickHouse, clickHouseAt } from '../../tools/fleet/clickhouse-client';
import type { Moment, Relay } from '../../tools/fleet/relay';
import { fleetTool } from '../fleet-cli';
import { acceleratedPlaylist } from '../kills/accelerated-playlist';
import { type ChaosKiosk, openChaosKiosk } from './chaos-kiosk';
import { type Disturbance, disturbancesOf, KINDS, type Kind } from './disturbances';
import { askFleet } from './fleet-commands';
import { type Evidence, violationsOf } from './judgement';
import type { Receiver } from './receiver';
import { shipAll, until } from './ship-all';

export interface ChaosReport {
  readonly disturbances: Readonly<Record<Kind, number>>;
  /** Disturbances during a request. */
  readonly inRequest: number;
  /** Answers of 200 that did not reach the kiosk, so the segment was sent again. */
  readonly lostAnswers: number;
  readonly plays: number;
  /** Plays that a kill left open: they count. */
  readonly unknown: number;
  readonly segments: number;
  /** Rows of a play that was sent before. */
  readonly revisions: number;
  /** Rows that the table still holds more than once. */
  readonly repeatedRows: number;
  /** From the last disturbance until all was shipped, ms. */
  readonly healedMs: number;
  readonly violations: readonly string[];
}

export interface ChaosOptions {
  readonly disturbances: number;
  /** Determines what is disturbed, and when. */
  readonly seed: number;
  /** Environment variables of each display; one kiosk runs on each. */
  readonly displays: readonly Readonly<Record<string, string>>[];
  readonly startReceiver: () => Promise<Receiver>;
  readonly progress?: (words: string) => void;
}

/** How long a disturbance waits for a request, ms. While servers are down, kiosks wait up to a minute. */
const REQUEST_WITHIN_MS = 30_000;
/** Each kiosk has this many plays before the first disturbance: there must be something to lose. */
const FEW_PLAYS = 6;
const ALL_TIME = ['--from', '2020-01-01T00:00:00Z', '--to', '2100-01-01T00:00:00Z'];

/**
 * Kills kiosks and servers and cuts networks, often during a segment's request, and starts everything again.
 * Then compares the kiosks' own books with the results of the receiver's SQL and `fleet-verify`.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { progress = () => {}, displays } = options;
  const service = await startDemoService();
  const playlist = acceleratedPlaylist(service);
  playlist.serve(0);
  const receiver = await options.startReceiver();
  const kiosks: ChaosKiosk[] = [];
  try {
    for (const [index, display] of displays.entries())
      kiosks.push(await openChaosKiosk(service, receiver, index % receiver.shards.length, display));
    const table = clickHouseAt(receiver.shards[0]?.[0]?.url ?? '');
    for (const kiosk of kiosks) kiosk.start(true);
    await until('every kiosk ships', kiosks, async () => (await kiosksIn(table)) === kiosks.length);
    await until('every kiosk has played', kiosks, async () => {
      const books = await Promise.all(kiosks.map((kiosk) => kiosk.plays()));
      return books.every((plays) => plays.length >= FEW_PLAYS);
    });

    const replicas = receiver.shards[0]?.length ?? 1;
    const disturbances = disturbancesOf(options.seed, options.disturbances, {
      kiosks: kiosks.length,
      replicas,
    });
    const down = new Map<string, Promise<void>>();
    let inRequest = 0;
    for (const [index, disturbance] of disturbances.entries()) {
      playlist.serve(index + 1);
      const hit = await carryOut(disturbance, kiosks, receiver, down);
      if (hit) inRequest += 1;
      const { kind, moment } = disturbance;
      progress(
        `disturbance ${index + 1} of ${disturbances.length}: ${kind}${hit ? `, a request ${moment}` : ''}`,
      );
    }

    const healedFrom = performance.now();
    await Promise.all(down.values());
    await until('every server works', kiosks, receiver.isWhole);
    const books = await shipAll(kiosks);
    const healedMs = performance.now() - healedFrom;
    progress('all is shipped');
    return {
      disturbances: Object.fromEntries(
        KINDS.map((kind) => [kind, disturbances.filter((each) => each.kind === kind).length]),
      ) as Record<Kind, number>,
      inRequest,
      healedMs,
      lostAnswers: kiosks.reduce((sum, { relay }) => sum + relay.lostAnswers(), 0),
      plays: [...books.values()].flat().length,
      unknown: [...books.values()].flat().filter(({ outcome }) => outcome === 'unknown').length,
      ...(await figuresOf(table)),
      violations: violationsOf(await evidenceFrom(receiver, kiosks, books)),
    };
  } finally {
    for (const kiosk of kiosks) await kiosk.close();
    await receiver.close();
    await service.close();
  }
}

/** Kills or cuts the targets, and starts them again in the background. Resolves with whether a request was hit. */
async function carryOut(
  disturbance: Disturbance,
  kiosks: readonly ChaosKiosk[],
  { shards }: Receiver,
  down: Map<string, Promise<void>>,
): Promise<boolean> {
  const kiosk = kiosks[disturbance.kiosk];
  if (kiosk === undefined) throw new Error(`there is no kiosk ${disturbance.kiosk}`);
  const servers = (shards[kiosk.shard] ?? []).filter(
    (_server, index) => disturbance.kind === 'shard' || index === disturbance.replica,
  );
  const targets: Array<{ name: string; disturb: () => Promise<void>; heal: () => Promise<void> | void }> =
    disturbance.kind === 'kiosk'
      ? [{ name: kiosk.kiosk, disturb: kiosk.kill, heal: () => kiosk.start(true) }]
      : disturbance.kind === 'network'
        ? [{ name: `to ${kiosk.kiosk}`, disturb: async () => kiosk.relay.cut(), heal: kiosk.relay.join }]
        : servers.map(({ url, kill, start }) => ({ name: url, disturb: kill, heal: start }));
  for (const { name } of targets) await down.get(name);
  await sleep(disturbance.afterMs);
  let disturbed: Promise<void>[] = [];
  const hit = await inRequest(kiosk.relay, disturbance.moment, () => {
    // All targets are signalled before the first one is awaited.
    disturbed = targets.map((target) => target.disturb());
  });
  for (const [index, { name, heal }] of targets.entries()) {
    const healed = (async () => {
      await disturbed[index];
      await sleep(disturbance.downMs);
      await heal();
    })();
    // Awaited later through `down`, where an error is reported.
    healed.catch(() => {});
    down.set(name, healed);
  }
  return hit;
}

/** Calls `act` when a request reaches this moment, or when none did in time; resolves with whether one did. */
function inRequest(relay: Relay, moment: Moment | null, act: () => void): Promise<boolean> {
  return new Promise((resolve) => {
    const callOff = moment === null ? () => {} : relay.at(moment, () => done(true));
    const timer = setTimeout(() => done(false), moment === null ? 0 : REQUEST_WITHIN_MS);
    const done = (hit: boolean) => {
      clearTimeout(timer);
      callOff();
      act();
      resolve(hit);
    };
  });
}

async function evidenceFrom(
  receiver: Receiver,
  kiosks: readonly ChaosKiosk[],
  books: Evidence['books'],
): Promise<Evidence> {
  const url = receiver.shards[0]?.[0]?.url ?? '';
  const asking = ['--url', `${url}${receiver.asking}`];
  const folder = mkdtempSync(join(tmpdir(), 'endcap-accepted-'));
  try {
    const accepted = join(folder, 'kiosks.txt');
    writeFileSync(accepted, kiosks.map(({ publicKey }) => `${publicKey}\n`).join(''));
    const history = ['--history', '2020-01-01T00:00:00Z'];
    const [newest, billing, completeness, overDeliveries, verified, rowsByReplica] = await Promise.all([
      clickHouseAt(url).all(
        `SELECT kiosk, id, argMax(outcome, rev) AS lastOutcome, argMax(at, rev) AS lastAt
         FROM plays WHERE kind = 'play' GROUP BY kiosk, id`,
      ),
      askFleet('billing', ...ALL_TIME, ...asking),
      askFleet('completeness', ...asking),
      askFleet('cap-audit', ...ALL_TIME, ...history, ...asking),
      fleetTool('fleet-verify', '--kiosks', accepted, '--url', url),
      receiver.rowsByReplica(),
    ]);
    return { books, newest, billing, completeness, overDeliveries, verified, rowsByReplica };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function figuresOf(
  table: ClickHouse,
): Promise<Pick<ChaosReport, 'segments' | 'revisions' | 'repeatedRows'>> {
  const [row] = await table.all(
    `SELECT uniqExactIf(kiosk, epoch, seq, kind = 'segment') AS segments,
       uniqExactIf(kiosk, epoch, seq, rev > 0) AS revisions,
       count() - uniqExact(kiosk, epoch, seq, kind) AS repeated FROM plays`,
  );
  return {
    segments: Number(row?.segments),
    revisions: Number(row?.revisions),
    repeatedRows: Number(row?.repeated),
  };
}

const kiosksIn = async (table: ClickHouse) =>
  Number((await table.all('SELECT uniqExact(kiosk) AS kiosks FROM plays'))[0]?.kiosks);
