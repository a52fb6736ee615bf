import 'fake-indexeddb/auto';
import { recordsCommandsOn } from '../../../renderer/records/commands';
import { openDatabase, type RecordsDatabase } from '../../../renderer/records/database';
import type { BeaconRow } from '../../../renderer/records/rows';
import { resultsOf } from '../../../renderer/records/testing/results-of';
import type { PlayBeacons } from '../../../shared/beacon';
import type { Clock } from '../../../shared/clock';
import { type Log, silentLog } from '../../../shared/log';
import {
  type RecordsCommand,
  type RecordsInput,
  type RecordsOutput,
  recordsCommands,
} from '../../../shared/records';
import { type Records, RecordsError } from '../../records/records-client';
import { type MortalProcess, mortalProcess } from '../../records/testing/mortal-process';
import { type HandTurnedTime, handTurnedTime } from '../../service/testing/hand-turned-time';
import type { SendResult } from '../delivery-policy';
import type { GuestOutcome } from '../js-guests';
import { createOutbox, type Outbox } from '../outbox';

export const accepted: SendResult = {
  kind: 'answered',
  status: 204,
  retryAfterMs: null,
  redirected: false,
};

export const answered = (status: number, retryAfterMs: number | null = null): SendResult => ({
  kind: 'answered',
  status,
  retryAfterMs,
  redirected: false,
});

/** One request, whether or not the servers received it. */
export interface Sent {
  readonly url: string;
  readonly at: number;
  readonly result: SendResult;
}

/** One run of a script. */
export interface Ran {
  readonly script: string;
  /** Null: the process died while it ran. */
  result: GuestOutcome['result'] | null;
}

export interface LoggedLine {
  readonly message: string;
  readonly fields: unknown;
}

export interface Life extends MortalProcess {
  readonly outbox: Outbox;
  /** Ids of beacons that the books acknowledged. */
  readonly acknowledged: ReadonlySet<string>;
}

/** Outboxes on real records commands; tests control time, servers, errors and deaths. */
export interface OutboxWorld {
  readonly time: HandTurnedTime;
  readonly database: RecordsDatabase;
  readonly sent: Sent[];
  readonly ran: Ran[];
  /** What the outbox logged about beacons that were refused or exceeded their budget, or wait for the books. */
  readonly lines: LoggedLine[];
  /** The servers' answer to a URL; by default they accept everything. */
  answer: (url: string) => SendResult | Promise<SendResult>;
  /** The result of a script; by default it runs. */
  outcome: (script: string) => GuestOutcome['result'] | Promise<GuestOutcome['result']>;
  /** The kiosk's clock in lives that begin now; by default the time itself. */
  clock: Clock;
  /** Whether that clock is trusted; by default it is. */
  isTimeTrusted: () => boolean;
  /** Whether beacons of plays may expire by it; by default where it is trusted. */
  mayExpire: () => boolean;
  /** Whether the disk refuses what the books store. */
  isDiskFull: boolean;
  /** When lives that begin now know which machine this is; by default at once. */
  ownBeaconsKnown: Promise<unknown>;
  live(eventTimeParam: string | null, environment?: string): Life;
  /** How many commands and sends have begun and ended so far, counted together. */
  moves(): number;
  /** Resolves when nothing changes any more unless time passes. */
  quiet(): Promise<void>;
  advance(ms: number): Promise<void>;
  rows(): Promise<BeaconRow[]>;
  /** Results of the beacons of these plays, as the books hold them. */
  resultsOf(playIds: readonly string[]): Promise<PlayBeacons[]>;
  /** Deletes all rows of the database. */
  wipe(): Promise<void>;
  end(): Promise<void>;
}

let worlds = 0;

export function outboxWorld(): OutboxWorld {
  worlds += 1;
  const time = handTurnedTime();
  const database = openDatabase(`outbox-${worlds}`);
  const commands = recordsCommandsOn(database);
  const sent: Sent[] = [];
  const ran: Ran[] = [];
  const lines: LoggedLine[] = [];
  const log: Log = {
    ...silentLog,
    warn: (message, fields) => {
      if (/budget|not accepted|waits for the books/.test(message)) lines.push({ message, fields });
    },
  };
  const activity = { ids: 0, moves: 0, underWay: 0 };

  const world: OutboxWorld = {
    time,
    database,
    sent,
    ran,
    lines,
    answer: () => accepted,
    outcome: () => 'ran',
    clock: time.clock,
    isTimeTrusted: () => true,
    mayExpire: () => world.isTimeTrusted(),
    isDiskFull: false,
    ownBeaconsKnown: Promise.resolve(),
    live: (eventTimeParam, environment = 'store') =>
      live({ world, commands, log, activity }, eventTimeParam, environment),
    moves: () => activity.moves,
    async quiet() {
      for (let before = -1; before !== activity.moves || activity.underWay > 0; ) {
        before = activity.moves;
        for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    async advance(ms) {
      const until = time.clock.monotonic() + ms;
      await world.quiet();
      for (let left = ms; left > 0; left = until - time.clock.monotonic()) {
        await time.advance(Math.min(left, time.waits()[0] ?? left));
        await world.quiet();
      }
    },
    rows: () => database.beacons.orderBy(':id').toArray(),
    resultsOf: (playIds) => resultsOf(database, playIds),
    async wipe() {
      await database.delete();
      await database.open();
    },
    async end() {
      await world.quiet();
      await database.delete();
    },
  };
  return world;
}

/** What all processes of a world share. */
interface Surroundings {
  readonly world: OutboxWorld;
  readonly commands: ReturnType<typeof recordsCommandsOn>;
  readonly log: Log;
  /** Counters that show whether anything still changes. */
  readonly activity: { ids: number; moves: number; underWay: number };
}

function live(
  { world, commands, log, activity }: Surroundings,
  eventTimeParam: string | null,
  environment: string,
): Life {
  const { time, sent, ran } = world;
  const acknowledged = new Set<string>();
  const life = mortalProcess(() => {
    activity.moves += 1;
  });

  const records: Records = {
    async run<C extends RecordsCommand>(command: C, input: RecordsInput<C>): Promise<RecordsOutput<C>> {
      const output = await life.step(
        async () => {
          if (world.isDiskFull) throw new RecordsError('storage', command, 'QuotaExceededError');
          // As through the port between the processes: copied, and parsed on both sides.
          const parsed = recordsCommands[command].input.parse(structuredClone(input));
          activity.underWay += 1;
          const run = commands[command] as (value: unknown) => Promise<unknown>;
          const told = recordsCommands[command].output.parse(await run(parsed));
          activity.underWay -= 1;
          return told as RecordsOutput<C>;
        },
        () => new RecordsError('timeout', command, 'no answer'),
      );
      if (command === 'storeBeacons') {
        for (const { id } of (input as RecordsInput<'storeBeacons'>).beacons) acknowledged.add(id);
      }
      return output;
    },
  };

  const outbox = createOutbox({
    records,
    send: (url) =>
      life.step(async () => {
        const result = await world.answer(url);
        sent.push({ url, at: time.clock.now(), result });
        return result;
      }),
    async runScript(script) {
      const run: Ran = { script, result: null };
      const result = await life.step(() => {
        ran.push(run);
        return Promise.resolve(world.outcome(script));
      });
      run.result = result;
      return { result, detail: result === 'threw' ? 'on purpose' : null, tookMs: 1 };
    },
    clock: world.clock,
    isTimeTrusted: () => world.isTimeTrusted(),
    mayExpire: () => world.mayExpire(),
    ownBeaconsKnown: world.ownBeaconsKnown,
    schedule: (ms, run) => time.schedule(ms, () => life.isAlive() && run()),
    random: () => 0.5,
    newId: () => `id-${++activity.ids}`,
    log,
    environment,
    eventTimeParam,
  });
  return { ...life, outbox, acknowledged };
}
