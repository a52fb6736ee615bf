import type { Play } from '../../shared/play';
import type { Scene } from './scene';
import { type Disturbance, inWords } from './shopper-view';

/** One row of the table: a fault, done to a playing kiosk. */
export interface Fault {
  readonly group: 'process' | 'disk' | 'clock' | 'network' | 'display' | 'database' | 'settings';
  readonly name: string;
  /** Does it; what has to be undone by somebody else (a network that comes back) it undoes as well. */
  readonly happen: (scene: Scene) => Promise<unknown>;
  /** Looked at for at least so long, ms; for what takes effect later. */
  readonly leastMs?: number;
  readonly withinMs?: number;
  /** Must be in the kiosk's log, or else the fault did not happen. */
  readonly logged?: RegExp;
  /** Plays may be stamped anew, with nothing else about them changed (rule 10). */
  readonly restamps?: boolean;
  /** How the loss is told where plays are lost for certain (the whole database): in the log, in numbers. */
  readonly lossTold?: RegExp;
}

export interface Outcome {
  readonly fault: Fault;
  readonly disturbance: Disturbance;
  readonly restarts: number;
  /** Plays settled before the fault that are not stored as they were. */
  readonly lostPlays: number;
  /** The loss was told where there is one. */
  readonly told: string | null;
}

const WITHIN_MS = 60_000;
const LEAST_MS = 2_500;

/** Does one fault to the scene, waits until it has healed, and looks what is left. */
export async function runFault(scene: Scene, fault: Fault): Promise<Outcome> {
  await scene.steady(Number.NEGATIVE_INFINITY, 0, WITHIN_MS);
  const before = settled(await scene.plays());
  const restarts = scene.restarts();
  const logBefore = (await scene.kiosk()).log().length;
  const since = performance.now();
  await fault.happen(scene);
  await scene.steady(since, fault.leastMs ?? LEAST_MS, fault.withinMs ?? WITHIN_MS);
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
  // What harmed here was no creative: the next fault shall find none that is struck (rule 11).
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

/** What must not be: a loss that nobody was told of. */
export function violations(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap(({ fault, lostPlays, told }) => {
    if (fault.lossTold && told === null) return [`${fault.name}: the loss was not told`];
    if (!fault.lossTold && lostPlays > 0) return [`${fault.name}: ${lostPlays} plays are lost`];
    return [];
  });
}

/** The outcome as a line of the table. */
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

/** Of a database that is gone, in the numbers that the log tells. */
function lossInWords(told: string): string {
  const [plays, flights] = told.match(/\d+/g) ?? [];
  return `rows of ${plays} plays; caps keep: ${flights} flights restored`;
}
