import type { Play } from '../../shared/play';
import type { Scene } from './scene';
import { type Disturbance, inWords } from './shopper-view';

/** One row of the table: a fault of a playing kiosk. */
export interface Fault {
  readonly group: 'process' | 'disk' | 'clock' | 'network' | 'display' | 'database' | 'settings';
  readonly name: string;
  /** Causes the fault, and undoes whatever the kiosk cannot undo itself (such as a network that is down). */
  readonly happen: (scene: Scene) => Promise<unknown>;
  /** The shortest time to observe, ms; for faults that take effect late. */
  readonly leastMs?: number;
  readonly withinMs?: number;
  /** Longest time until nothing is late, black or missing any more, ms; absent: `withinMs` alone bounds it. */
  readonly healsWithinMs?: number;
  /** Must appear in the kiosk's log; otherwise the fault did not happen. */
  readonly logged?: RegExp;
  /** The kiosk may change the times of plays, and nothing else about them (rule 10). */
  readonly restamps?: boolean;
  /** For faults that always lose plays (the whole database): the log line that reports the loss in numbers. */
  readonly lossTold?: RegExp;
}

export interface Outcome {
  readonly fault: Fault;
  readonly disturbance: Disturbance;
  readonly restarts: number;
  /** Plays settled before the fault that are no longer stored unchanged. */
  readonly lostPlays: number;
  /** The log line that reported the loss; null: there was none. */
  readonly told: string | null;
}

const WITHIN_MS = 60_000;
/** Longest time of a black screen, ms: while the kiosk heals from inside, and while it starts over. */
const BLACK_MS = 3_000;
const BLACK_AT_START_MS = 10_000;
const LEAST_MS = 2_500;

/** Causes one fault, waits until the kiosk has healed, and compares the stored plays. */
export async function runFault(scene: Scene, fault: Fault): Promise<Outcome> {
  await scene.steady(Number.NEGATIVE_INFINITY, 0, WITHIN_MS);
  const before = settled(await scene.plays());
  const restarts = scene.restarts();
  const logBefore = (await scene.kiosk()).log().length;
  const since = performance.now();
  await fault.happen(scene);
  // Slots from before the fault would say that it has healed: to cause it may take seconds.
  const happened = performance.now();
  const leastMs = (fault.leastMs ?? LEAST_MS) - (happened - since);
  await scene.steady(happened, leastMs, fault.withinMs ?? WITHIN_MS);
  const kiosk = await scene.kiosk();
  const log = kiosk.log().slice(logBefore);
  if (fault.logged && !fault.logged.test(log))
    throw new Error(`${fault.name}: not in the log: ${fault.logged}\n${log}`);
  const after = new Map((await scene.plays()).map((play) => [play.id, play]));
  const stored = (play: Play | undefined) =>
    JSON.stringify(play && fault.restamps === true ? { ...play, at: 0, shownAt: 0 } : play);
  const told = fault.lossTold ? (fault.lossTold.exec(log)?.[0] ?? null) : null;
  const restarted = scene.restarts() - restarts;
  const seen = scene.disturbance(since);
  // No creative caused this harm; new files make sure that none has a strike when the next fault comes (rule
  // 11).
  if (/a creative did harm/.test(log)) await scene.freshCreatives();
  const lostPlays = before.filter((play) => stored(after.get(play.id)) !== stored(play)).length;
  return {
    fault,
    disturbance: seen,
    restarts: restarted,
    lostPlays,
    told,
  };
}

const settled = (plays: readonly Play[]) => plays.filter(({ outcome }) => outcome === 'completed');

/** Outcomes that are not allowed: a loss that the log does not report, a black screen for long, or late healing. */
export function violations(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap(({ fault, disturbance, restarts, lostPlays, told }) => {
    const { blackMs, healedMs } = disturbance;
    return [
      ...(fault.lossTold && told === null ? [`${fault.name}: the log does not report the loss`] : []),
      ...(!fault.lossTold && lostPlays > 0 ? [`${fault.name}: ${lostPlays} plays are lost`] : []),
      ...(blackMs > (restarts > 0 ? BLACK_AT_START_MS : BLACK_MS)
        ? [`${fault.name}: black for ${Math.round(blackMs)} ms`]
        : []),
      ...(healedMs > (fault.healsWithinMs ?? Number.POSITIVE_INFINITY)
        ? [`${fault.name}: healed after ${Math.round(healedMs)} ms (${inWords(disturbance)})`]
        : []),
    ];
  });
}

export function lineOf({ fault, disturbance, restarts, lostPlays, told }: Outcome): string {
  const { healedMs } = disturbance;
  const plays = lostPlays === 0 ? 'nothing' : `${lostPlays} plays`;
  const cells = [
    fault.group,
    fault.name,
    inWords(disturbance),
    told === null ? plays : lossInWords(told),
    healedMs === 0 ? 'at once' : `${(healedMs / 1000).toFixed(1)} s`,
    restarts > 0 ? 'started over' : 'from inside',
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The loss of a whole database, in the numbers of the log line. */
function lossInWords(told: string): string {
  const [plays, flights] = told.match(/\d+/g) ?? [];
  return `rows of ${plays} plays; caps keep: ${flights} flights restored`;
}
