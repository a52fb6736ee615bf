import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO_REGISTRATION, kioskSettings } from '../../main/demo-service/kiosk-settings';
import { playsOf } from '../ask-kiosk';
import { dataFolder } from '../kiosk';
import { until } from '../until';
import { type Attack, openField } from './attack';
import { goodAds } from './good-ads';
import { type HostileService, startHostileService } from './hostile-service';
import {
  AT_REST,
  capViolations,
  type PlayRow,
  type RestFigures,
  restFigures,
  restViolations,
} from './rest-checks';
import { attackSequence, type Step } from './sequence';
import { type SiegeKiosk, startSiegeKiosk } from './siege-kiosk';
import { type Watch, type WatchFigures, watchKiosk } from './watch';

export interface StepReport {
  readonly number: number;
  readonly attack: Attack;
  readonly violations: readonly string[];
  /** Time from the end of the attack until a new ad was on the display, ms; null: it never was. */
  readonly recoveredMs: number | null;
}

export interface SiegeReport {
  readonly seed: number;
  readonly seconds: number;
  readonly steps: readonly StepReport[];
  readonly figures: WatchFigures;
  readonly rests: readonly RestFigures[];
  readonly goodPlays: number;
  /** Exit code of the last kiosk after it was asked to quit; null: it had to be killed. */
  readonly exitCode: number | null;
}

export interface SiegeOptions {
  readonly seed: number;
  readonly attacks: readonly Attack[];
  /** The siege ends after the step in which this time is over, s. */
  readonly seconds: number;
  /** Longest duration of each attack, s. */
  readonly attackSeconds?: number;
  /** How long the kiosk is measured at rest after each attack, ms. */
  readonly restMs?: number;
  /** Number of steps to skip, to reach a failing one sooner. */
  readonly skip?: number;
  /** Number of steps after which the siege ends. */
  readonly steps?: number;
  /** Goes on after a violation, with a new kiosk on a new data folder. */
  readonly keepGoing?: boolean;
  readonly progress?: (words: string) => void;
  /** Folder for the logs of a failing step. */
  readonly keepIn?: string;
}

const START_WITHIN_MS = 60_000;
/** How long to wait for a kiosk that has violations already, ms: only to report whether it recovers. */
const BROKEN_RECOVERY_MS = 30_000;
/** Plays of this time before a violation are stored with it, ms. */
const EXPLAINED_MS = 300_000;

/** Runs the attacks against a real kiosk one by one, each followed by a good service until a new ad is shown. */
export async function runSiege(options: SiegeOptions): Promise<SiegeReport> {
  const { seed, attacks, progress = () => {} } = options;
  const service = await startHostileService();
  const good = goodAds(service);
  const steps: StepReport[] = [];
  const rests: RestFigures[] = [];
  const began = performance.now();
  let figures: WatchFigures | null = null;
  let goodPlays = 0;
  let life: Life | null = null;
  let exitCode: number | null = null;
  try {
    for (const step of attackSequence(attacks, seed)) {
      if (step.number <= (options.skip ?? 0)) continue;
      good.serve();
      service.behave();
      life ??= await startLife(service);
      progress(`step ${step.number} (seed ${seed}): ${step.attack.name}`);
      const done = await runStep(step, life, service, good, options);
      steps.push(done.report);
      if (done.rest) rests.push(done.rest);
      goodPlays = Math.max(goodPlays, done.goodPlays);
      figures = worst(figures, life.watch.figures());
      for (const words of done.report.violations) progress(`  broken: ${words}`);
      if (done.report.violations.length > 0) {
        await keepLogs(options.keepIn, step.number, life, done.report);
        if (options.keepGoing !== true) break;
        exitCode = await life.end();
        life = null;
      }
      const isOver = (performance.now() - began) / 1000 >= options.seconds;
      if (isOver || steps.length >= (options.steps ?? Number.POSITIVE_INFINITY)) break;
    }
  } finally {
    if (life !== null) exitCode = await life.end();
    await service.close();
  }
  if (figures === null) throw new Error('the siege had no step');
  return { seed, seconds: (performance.now() - began) / 1000, steps, figures, rests, goodPlays, exitCode };
}

/** A kiosk on a data folder of its own, with its watch. */
interface Life {
  readonly kiosk: SiegeKiosk;
  readonly watch: Watch;
  readonly startedAt: number;
  /** Memory at its first rest, MB. */
  firstMb: number | null;
  /** Asks it to quit; resolves with its exit code, null when it had to be killed. */
  end(): Promise<number | null>;
}

async function startLife(service: HostileService): Promise<Life> {
  const folder = dataFolder();
  const settings = kioskSettings(service.origin, DEMO_REGISTRATION, 'bearer');
  const hosts = [service.origin, service.otherOrigin].map((origin) => new URL(origin).host);
  const startedAt = Date.now();
  const kiosk = startSiegeKiosk(folder.path, {
    ...settings,
    ads: { ...settings.ads, refreshSeconds: 1 },
    native: { ...settings.native, adcount: 20, everySlots: 2 },
    playback: { imageSeconds: 1 },
    network: { allowPrivateHosts: hosts },
    signals: { port: 0 },
  });
  try {
    const watch = await watchKiosk(kiosk, START_WITHIN_MS);
    return {
      kiosk,
      watch,
      startedAt,
      firstMb: null,
      async end() {
        await watch.close();
        const code = await kiosk.stop();
        folder.remove();
        return code;
      },
    };
  } catch (error) {
    await kiosk.stop();
    folder.remove();
    throw error;
  }
}

interface StepOutcome {
  readonly report: StepReport;
  readonly rest: RestFigures | null;
  readonly goodPlays: number;
}

async function runStep(
  { number, attack, random }: Step<Attack>,
  life: Life,
  service: HostileService,
  good: ReturnType<typeof goodAds>,
  { attackSeconds = Number.POSITIVE_INFINITY, restMs = 3_000 }: SiegeOptions,
): Promise<StepOutcome> {
  const { watch, kiosk } = life;
  const atRest = () => restFigures(kiosk, service, restMs).then(({ pssMb }) => pssMb);
  life.firstMb ??= await atRest().catch(() => null);
  const { field, achieved, end } = openField(service, good, random, `s${number}`);
  watch.display.tolerateOdd(attack.oddPictures === true);
  await attack.begin(field);
  await sleep(Math.min(attack.seconds, attackSeconds) * 1000);
  const violations = [...achieved(), ...watch.take()];
  await end();
  service.behave();
  const { ad, colour } = good.fresh(number);
  good.serve([ad]);
  const withinMs = violations.length === 0 ? AT_REST.freshWithinMs : BROKEN_RECOVERY_MS;
  const recoveredMs = await firstSight(() => watch.display.starts(colour), withinMs);
  watch.display.tolerateOdd(false);
  if (recoveredMs === null)
    violations.push(`a new ad did not come to the display within ${withinMs / 1000} s`);
  let rest: RestFigures | null = null;
  let goodPlays = 0;
  try {
    rest = await restFigures(kiosk, service, restMs);
    if (restViolations(rest, life.firstMb ?? rest.pssMb).length > 0) {
      // The worker that reads for the kiosk keeps its memory until it has been idle for a while.
      await sleep(AT_REST.settledAfterMs);
      rest = await restFigures(kiosk, service, restMs);
    }
    violations.push(...restViolations(rest, life.firstMb ?? rest.pssMb));
    const plays = await playsOf<PlayRow>(await kiosk.get('/v1/plays', 20_000));
    goodPlays = plays.filter(
      ({ adId, outcome }) => /^(red|blue)$/.test(adId) && outcome === 'completed',
    ).length;
    violations.push(...capViolations(watch.display, plays, life.startedAt));
  } catch (error) {
    violations.push(`it could not be looked at after the attack: ${String(error)}`);
  }
  violations.push(...watch.take());
  return { report: { number, attack, violations, recoveredMs }, rest, goodPlays };
}

/** Waits until an ad starts after this call; resolves with the time that took, ms, or null. */
async function firstSight(starts: () => readonly number[], withinMs: number): Promise<number | null> {
  const since = performance.now();
  const isSeen = () => (starts().at(-1) ?? 0) > since;
  return until(isSeen, withinMs).then(
    () => performance.now() - since,
    () => null,
  );
}

function worst(one: WatchFigures | null, other: WatchFigures): WatchFigures {
  const names = Object.keys(other) as (keyof WatchFigures)[];
  const most = names.map((name) => [name, Math.max(one?.[name] ?? 0, other[name])]);
  return Object.fromEntries(most) as WatchFigures;
}

/** Stores what explains a violation: the logs, the display's changes, and the plays of the last minutes. */
async function keepLogs(
  folder: string | undefined,
  step: number,
  { kiosk, watch }: Life,
  report: StepReport,
): Promise<void> {
  if (folder === undefined) return;
  const kept = join(folder, `step-${step}`);
  mkdirSync(kept, { recursive: true });
  writeFileSync(join(kept, 'violations.txt'), [report.attack.name, ...report.violations, ''].join('\n'));
  writeFileSync(join(kept, 'terminal.txt'), kiosk.output());
  const timeOfDay = (at: number) => new Date(performance.timeOrigin + at).toISOString().slice(11, 23);
  writeFileSync(
    join(kept, 'display.txt'),
    watch.display
      .changes()
      .map(({ sight, at }) => `${timeOfDay(at)} ${sight}\n`)
      .join(''),
  );
  const plays = await kiosk
    .get(`/v1/plays?from=${new Date(Date.now() - EXPLAINED_MS).toISOString()}`, 20_000)
    .then((response) => response.text(), String);
  writeFileSync(join(kept, 'plays.ndjson'), plays);
  const logs = join(kiosk.dataDir, 'logs');
  if (existsSync(logs)) cpSync(logs, join(kept, 'logs'), { recursive: true });
}
