import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'playwright/test';
import { startDemoService } from '../../main/demo-service/demo-service';
import { type Sight, type Stretch, see } from '../faults/shopper-view';
import { dataFolder, type Kiosk, startKiosk } from '../kiosk';
import { BLUE, isColour, kioskSettings, RED, serveTwoCreatives } from '../two-creatives';
import { watchDisplay } from './display-watch';
import { report } from './report';
import { median } from './statistics';

const SLOT_MS = 1_000;
const LOOKS_PER_SECOND = 60;
/** A slot seen for so much longer than it is was late: two looks. */
const LATE_MS = 2 * (1_000 / LOOKS_PER_SECOND);
/** From the notice of a slot's end, half a second before it, on the next play is reserved. */
const RESERVING_MS = SLOT_MS - 500;
/** Fewer than what makes a kiosk end for the service manager; of the graphics process, do without hardware. */
const WINDOW_KILLS = 4;
const GRAPHICS_KILLS = 2;

type Victim = 'endcap://kiosk/' | 'endcap://records/' | 'GPU';

test('crash of a process to picture back', async () => {
  test.setTimeout(180_000);
  const folder = dataFolder();
  const service = await startDemoService();
  serveTwoCreatives(service);
  const kiosk = await startKiosk({ dataDir: folder.path, settings: kioskSettings(service) });
  const watch = await watchDisplay(LOOKS_PER_SECOND);
  let stretches: Stretch[] = [];
  watch.each(({ at, colour }) => {
    const sight: Sight = isColour(RED, colour) ? 'red' : isColour(BLUE, colour) ? 'blue' : 'black';
    stretches = see(stretches, sight, at);
  });
  const isAd = ({ sight }: Stretch) => sight !== 'black';
  /** The next slot has just begun. */
  const slotBegins = async () => {
    const before = stretches.length;
    while (stretches.length === before || !stretches.slice(-2).every(isAd)) await sleep(2);
  };
  const calm = async () => {
    await sleep(3 * SLOT_MS);
    await slotBegins();
  };
  /** Ms until there was an ad on the display again, and then another. */
  const pictureBack = async (since: number): Promise<number> => {
    await sleep(2.5 * SLOT_MS);
    await calm();
    const wrong = stretches.findLast((stretch) => !isAd(stretch) && stretch.to > since);
    const stayed = stretches.findLast(({ from, to }) => to > since && to - from > SLOT_MS + LATE_MS);
    return Math.max(0, (wrong?.to ?? since) - since, (stayed?.to ?? since) - since);
  };

  try {
    await calm();
    for (const [victim, name, kills] of [
      ['endcap://kiosk/', 'the kiosk window killed: its picture back', WINDOW_KILLS],
      ['GPU', 'the graphics process killed: the picture back', GRAPHICS_KILLS],
    ] as const) {
      const back: number[] = [];
      for (let index = 0; index < kills; index += 1) {
        const pid = await processOf(kiosk, victim);
        await slotBegins();
        await sleep(((index + 0.5) / kills) * SLOT_MS);
        const since = performance.now();
        process.kill(pid, 'SIGKILL');
        back.push(await pictureBack(since));
      }
      await report({
        name,
        unit: 'ms',
        value: Math.max(...back),
        baseline: null,
        ratio: null,
        budgets: [{ of: 'value', most: 3_000 }],
        samples: { back },
        details: { 'median ms': median(back) },
      });
    }

    const back: number[] = [];
    const late: number[] = [];
    for (let index = 0; index < WINDOW_KILLS; index += 1) {
      const pid = await processOf(kiosk, 'endcap://records/');
      await slotBegins();
      // The last time a reservation is under way for certain: it was asked of a process that stands still.
      const isReserving = index === WINDOW_KILLS - 1;
      if (isReserving) {
        await sleep(RESERVING_MS - 100);
        process.kill(pid, 'SIGSTOP');
        await sleep(120);
      } else await sleep((index / WINDOW_KILLS) * SLOT_MS);
      const since = performance.now();
      process.kill(pid, 'SIGKILL');
      await untilAnother(kiosk, pid);
      back.push(performance.now() - since);
      await calm();
      late.push(
        ...stretches.filter(({ to }) => to > since).map(({ from, to }) => Math.max(0, to - from - SLOT_MS)),
      );
    }
    await report({
      name: 'the records window killed: another takes over',
      unit: 'ms',
      value: Math.max(...back),
      baseline: null,
      ratio: null,
      budgets: [{ of: 'value', most: 1_000 }],
      samples: { back },
      details: { 'median ms': median(back) },
    });
    await report({
      name: 'slots late after it, a reservation under way among them',
      unit: 'count',
      value: late.filter((ms) => ms > LATE_MS).length,
      baseline: null,
      ratio: null,
      budgets: [{ of: 'value', most: 0 }],
      samples: { late },
      details: {
        'latest by ms': Math.max(...late),
        'commands repeated': kiosk.log().match(/the records window died over a command/g)?.length ?? 0,
      },
    });
  } finally {
    await watch.close();
    await kiosk.kill();
    await service.close();
    folder.remove();
  }
});

const processOf = ({ app }: Kiosk, victim: Victim): Promise<number> =>
  app.evaluate(({ app: running, webContents }, wanted) => {
    const pid =
      wanted === 'GPU'
        ? running.getAppMetrics().find(({ type }) => type === 'GPU')?.pid
        : webContents
            .getAllWebContents()
            .find((one) => one.getURL() === wanted)
            ?.getOSProcessId();
    if (pid === undefined) throw new Error(`there is no ${wanted}`);
    return pid;
  }, victim);

/** Resolves once another records window than that of process `pid` has loaded. */
const untilAnother = ({ app }: Kiosk, pid: number): Promise<void> =>
  app.evaluate(
    ({ webContents }, before) =>
      new Promise<void>((done) => {
        const look = () => {
          const another = webContents
            .getAllWebContents()
            .find(
              (one) => one.getURL() === 'endcap://records/' && ![0, before].includes(one.getOSProcessId()),
            );
          if (another && !another.isLoading()) done();
          else setTimeout(look, 5);
        };
        look();
      }),
    pid,
  );
