import { randomUUID } from 'node:crypto';
import { addressTopic } from '../../main/fleet/link/topics';
import { type FleetOperator, startBroker } from '../fleet-operator';
import type { Kiosk } from '../kiosk';
import { launch, service, test } from '../kiosk-test';
import { footprintOf } from '../process-tree';
import { BLUE, GREEN, imageAd, kioskSettings, RED, serveColours, serveTwoCreatives } from '../two-creatives';
import { until } from '../until';
import { frameGaps, reportLateFrames } from './frame-gaps';
import { report } from './report';
import { median, percentile } from './statistics';

/** Each round: a block at once, an announcement, its end, and a plain round trip. */
const ROUNDS = 60;
/** Slot length, s: no slot ends by itself during the measurement. */
const LONG = 600;
/** A kiosk without and one with the link run in turn; the order alternates. */
const PAIRS = 5;
/** Wait until deferred work has started, ms. */
const SETTLED_MS = 15_000;
const WATCH_MS = 20_000;

test('time from a signed document to its effect on the screen', async () => {
  test.setTimeout(15 * 60_000);
  const { operator } = await startBroker();
  const { signer } = operator;
  serveColours(service, { red: RED, green: GREEN, blue: BLUE });
  service.setAds(['red', 'green', 'blue'].map((name) => imageAd(name, LONG)));
  const kiosk = await startLinked(operator);
  const seen = await noteChanges(kiosk);
  const effect = async (what: Change, topic: string, payload: string, retain = false) => {
    const known = (await seen()).length;
    const at = Date.now();
    await operator.publish(topic, payload, retain);
    let found: { readonly at: number } | undefined;
    await until(async () => {
      found = (await seen()).slice(known).find((change) => change.what === what);
      return found !== undefined;
    });
    return (found?.at ?? Number.NaN) - at;
  };
  const command = (content: object) => signer.command('all', content, Date.now());
  const [commands, blocks] = (['command', 'blocks'] as const).map((name) =>
    addressTopic('endcap', 'all', name),
  ) as [string, string];
  const samples = { block: [] as number[], announce: [] as number[], end: [] as number[] };
  const plain: number[] = [];
  for (let version = 1; version <= ROUNDS; version += 1) {
    const flight = `flight-${await shownAd(kiosk, seen)}`;
    const document = await signer.blocks('all', version, [{ kind: 'flight', id: flight }], {
      atOnce: true,
    });
    samples.block.push(await effect('raised', blocks, document, true));
    const announce = await command({ name: 'announce', text: 'The store closes in ten minutes.' });
    samples.announce.push(await effect('announced', commands, announce));
    const end = await command({ name: 'announce', text: null });
    samples.end.push(await effect('over', commands, end));
    plain.push(await roundTrip(operator));
  }
  const all = [...samples.block, ...samples.announce, ...samples.end];
  await report({
    name: 'from a signed document to its effect on the screen, p99 (plain round trip over the same broker)',
    unit: 'ms',
    value: percentile(all, 0.99),
    baseline: percentile(plain, 0.99),
    budgets: [{ of: 'value', most: 1_000 }],
    samples: { ...samples, 'plain round trip': plain },
    details: {
      'p50 ms': median(all),
      'block at once p50 ms': median(samples.block),
      'announce p50 ms': median(samples.announce),
      'its end p50 ms': median(samples.end),
      'plain p50 ms': median(plain),
    },
  });
});

test('a link with a change a second, beside the same kiosk without it', async () => {
  test.setTimeout(30 * 60_000);
  const { operator } = await startBroker();
  // A slot a second: the link reports what is on the screen at most that often.
  serveTwoCreatives(service, 1);
  let told = 0;
  operator.client.on('message', (topic) => {
    if (topic.endsWith('/now')) told += 1;
  });
  const [off, on]: [Watched[], Watched[]] = [[], []];
  const watchOn = async () => {
    const before = told;
    on.push(await watched(await startLinked(operator)));
    if (told - before < WATCH_MS / 2_000) throw new Error(`the link told ${told - before} changes only`);
  };
  for (let pair = 0; pair < PAIRS; pair += 1) {
    if (pair % 2 === 1) await watchOn();
    off.push(await watched(await launch(kioskSettings(service, 3_600))));
    if (pair % 2 === 0) await watchOn();
  }
  const frames = (runs: readonly Watched[]) => runs.flatMap(({ gaps }) => gaps);
  await reportLateFrames(
    'while the link tells a change a second (without the link)',
    frames(on),
    frames(off),
  );
  for (const [of, unit, name, most] of [
    ['cores', 'cores', "processor of main that the link takes, at a change a second (main's without)", 0.01],
    ['mainMb', 'MB', "memory that the link takes, PSS of main (main's without)", 10],
  ] as const) {
    const values = (runs: readonly Watched[]) => runs.map((run) => run[of]);
    const differences = on.map((run, pair) => run[of] - (off[pair]?.[of] ?? Number.NaN));
    await report({
      name,
      unit,
      value: median(differences),
      baseline: median(values(off)),
      budgets: [{ of: 'value', most }],
      samples: { on: values(on), off: values(off) },
      details: { 'with it': median(values(on)) },
    });
  }
});

interface Watched {
  /** Times between the frames of the stage, ms. */
  readonly gaps: readonly number[];
  /** Processor time of main per second. */
  readonly cores: number;
  /** PSS of main, MB. */
  readonly mainMb: number;
}

/** Measures a kiosk for a while once it has settled, and ends it. */
async function watched(kiosk: Kiosk): Promise<Watched> {
  const { pid } = kiosk;
  const mainsTime = () =>
    kiosk.app.evaluate(() => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    });
  await until(async () => (await kiosk.status()).now?.adId === 'red');
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  const [began, from] = [performance.now(), await mainsTime()];
  const gaps = await frameGaps(kiosk, WATCH_MS);
  const cores = ((await mainsTime()) - from) / ((performance.now() - began) / 1_000);
  const mainMb = footprintOf(pid).pssMbByKind.browser ?? Number.NaN;
  await kiosk.terminate();
  return { gaps, cores, mainMb };
}

/** Starts a kiosk, and waits until it is connected. */
async function startLinked({ fleet }: FleetOperator): Promise<Kiosk> {
  const kiosk = await launch({ ...kioskSettings(service, 3_600), fleet });
  await until(async () => (await kiosk.status()).fleet?.connected === true);
  return kiosk;
}

type Change = 'raised' | 'announced' | 'over';

/** Records when the frame with a change was drawn, ms since the epoch; the result returns all changes so far. */
async function noteChanges({ screen }: Kiosk): Promise<() => Promise<{ what: Change; at: number }[]>> {
  await screen.evaluate(() => {
    const changes: { what: string; at: number }[] = [];
    Object.assign(globalThis, { changes });
    // The second frame callback runs after the first frame, with the change, was drawn.
    const note = (what: string) =>
      requestAnimationFrame(() => requestAnimationFrame(() => changes.push({ what, at: Date.now() })));
    let isAnnouncing = false;
    new MutationObserver((mutations) => {
      const isRaised = mutations.some(
        ({ target, oldValue, type }) =>
          type === 'attributes' && (target as HTMLElement).dataset.place === 'front' && oldValue !== 'front',
      );
      if (isRaised) note('raised');
      const isThere = document.querySelector('.announcement') !== null;
      if (isThere !== isAnnouncing) note(isThere ? 'announced' : 'over');
      isAnnouncing = isThere;
    }).observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeOldValue: true,
      attributeFilter: ['data-place'],
    });
  });
  return () =>
    screen.evaluate(() => (globalThis as unknown as { changes: { what: Change; at: number }[] }).changes);
}

/** Id of the ad on the screen, once there is one and the page has recorded it. */
async function shownAd(kiosk: Kiosk, seen: Awaited<ReturnType<typeof noteChanges>>): Promise<string> {
  let adId: string | null = null;
  await until(async () => {
    adId = (await kiosk.status()).now?.adId ?? null;
    const last = (await seen()).at(-1);
    return adId !== null && (last === undefined || last.what === 'raised');
  });
  return adId ?? '';
}

/** Time from publishing a message to receiving it again, ms. */
async function roundTrip({ client, publish }: FleetOperator): Promise<number> {
  const topic = `bench/${randomUUID()}`;
  await client.subscribeAsync(topic, { qos: 1 });
  const began = performance.now();
  const heard = new Promise<void>((resolve) => {
    const take = (at: string) => {
      if (at !== topic) return;
      client.off('message', take);
      resolve();
    };
    client.on('message', take);
  });
  await publish(topic, 'x');
  await heard;
  const took = performance.now() - began;
  await client.unsubscribeAsync(topic);
  return took;
}
