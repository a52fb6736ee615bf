import type { RecordedAction } from '../../../shared/admin';
import { type Clock, instant } from '../../../shared/clock';
import type { Log } from '../../../shared/log';
import { messageOf } from '../../describe-error';
import type { Schedule } from '../../schedule';
import { type Rate, tokenBucket } from '../../token-bucket';
import { oneByOne } from '../../turns';
import type { BlockList } from './block-list';
import {
  Command,
  type CommandName,
  type Refusal,
  type Reply,
  type SignedBlocks,
  type SignedCommand,
  type ToldCommand,
} from './commands';
import type { SeenCommands } from './seen-commands';
import {
  outOfDate,
  type Refused,
  type Verified,
  type VerifyParts,
  verifyBlocks,
  verifyCommand,
} from './verify-document';

/** Commands that are verified at once and per second: each costs a check of a signature. */
const VERIFIED = { burst: 40, perSecond: 20 };
/** Refusals that are answered at once, and a second; all are counted. */
const ANSWERED = { burst: 50, perSecond: 5 };
/** Refusals of garbage that are recorded at once and per second: it must not push real actions out of the record. */
const RECORDED_GARBAGE = { burst: 5, perSecond: 1 / 60 };
/** The same for documents that a known key signed: who may publish, but not sign, can send old ones again. */
const RECORDED_SIGNED = { burst: 50, perSecond: 1 / 60 };
/** Wait until blocks that could not be stored are taken again, ms. */
const AGAIN_MS = 60_000;
/** Most commands that wait for their turn in one line. */
const MAX_WAITING = 50;

const TOO_MANY: Refused = {
  refused: 'too-many',
  message: `This kiosk got more than ${VERIFIED.perSecond} commands a second and did not read this one. Send it again later.`,
  by: null,
  jti: null,
  command: null,
};

/** The result of a command. `recorded`: it is in the action record already. `later`: `finish` gets the result. */
export type Outcome =
  | { readonly state: 'later' }
  | (Pick<Reply, 'result' | 'message'> & { readonly state: 'done'; readonly recorded?: boolean })
  | {
      readonly state: 'refused';
      readonly reason: Refusal;
      readonly message: string;
      readonly recorded?: boolean;
    };

export const refusal = (reason: Refusal, message: string) => ({ state: 'refused' as const, reason, message });

export interface CommandHandlerParts extends VerifyParts {
  readonly kiosk: string;
  readonly clock: Clock;
  readonly seen: SeenCommands;
  readonly blocks: Pick<BlockList, 'take'>;
  readonly isTimeTrusted: () => boolean;
  /** Resolves once the time is trusted (rule 10), or a minute after the first connection without. */
  readonly timeIsTrusted: () => Promise<void>;
  /** Carries a command out. May reject. */
  readonly carryOut: (command: Command, by: string, of: CommandId) => Promise<Outcome>;
  /** `onSent`: called when the broker has acknowledged the reply. */
  readonly answer: (reply: Reply, onSent?: () => void) => void;
  /** Writes to the action record, which staff see. */
  readonly record: (action: RecordedAction) => void;
  readonly tell: (command: ToldCommand, outcome: 'done' | Refusal) => void;
  readonly schedule: Schedule;
  readonly log: Log;
}

/** Identifies a command, and says whom it is for: fields of its signed payload. */
export type CommandId = Pick<SignedCommand, 'jti' | 'iat' | 'aud'>;

/** The result of a command of this run or the one before. */
export interface FinishedCommand {
  readonly jti: string;
  readonly name: CommandName;
  /** Fingerprint of the key that signed it. */
  readonly by: string;
  readonly outcome: Exclude<Outcome, { state: 'later' }>;
  /** What the record says of it, if it was carried out. */
  readonly text?: string | null;
}

export type CommandHandler = ReturnType<typeof createCommandHandler>;

/** Handles documents that came over the link. Never rejects. */
export function createCommandHandler(parts: CommandHandlerParts) {
  const { kiosk, clock, seen, carryOut, answer, tell, log } = parts;
  const again = laterOnce(parts.schedule);
  const metered = (rate: Rate) => {
    const waitMs = tokenBucket(rate);
    return () => waitMs(clock.monotonic()) === 0;
  };
  const mayAnswer = metered(ANSWERED);
  const mayRecord = { garbage: metered(RECORDED_GARBAGE), signed: metered(RECORDED_SIGNED) };
  const lines = { announcements: commandLine(), others: commandLine() };

  const say = (reply: Omit<Reply, 'kiosk' | 'at'>, onSent?: () => void) =>
    answer({ kiosk, at: instant(clock.now()), ...reply }, onSent);

  function record(
    command: string | null,
    by: string | null,
    refused: Refusal | null,
    text: string | null,
  ): void {
    const short = text?.slice(0, 500) ?? '';
    const done = text === null ? null : ({ kind: 'text', text: short } as const);
    parts.record({
      at: clock.now(),
      action: recordedName(command),
      detail: refused === null ? done : { kind: 'failed', code: refused, message: short },
      outcome: refused === null ? 'done' : 'failed',
      who: { kind: 'fleet', key: by ?? 'unknown' },
    });
  }

  function refuse({ refused, message, by, jti, command }: Refused): Refusal {
    tell(knownName(command) ?? 'other', refused);
    log.debug('a command was refused', { refused, message, by, command });
    if (mayRecord[by === null ? 'garbage' : 'signed']()) record(command, by, refused, message);
    if (mayAnswer()) say({ to: jti, command, state: 'refused', reason: refused, message });
    return refused;
  }

  async function run({ jti, iat, exp, aud, command }: SignedCommand, by: string): Promise<void> {
    // Judged only now: a clock that is wrong at the start takes an expired command for a valid one, or the reverse.
    await parts.timeIsTrusted();
    const wrongTime = outOfDate({ iat, exp }, clock.now());
    const outcome =
      wrongTime !== null
        ? refusal(wrongTime.refused, wrongTime.message)
        : await carryOut(command, by, { jti, iat, aud }).catch((error: unknown) =>
            refusal('failed', messageOf(error).slice(0, 500)),
          );
    const text = command.name === 'announce' ? command.text : null;
    if (outcome.state !== 'later') finish({ jti, by, name: command.name, outcome, text });
  }

  /** Records and answers a command that was carried out. @param onSent called when the broker has acknowledged it */
  function finish({ jti, name, by, outcome, text = null }: FinishedCommand, onSent?: () => void): void {
    const { recorded, ...result } = outcome;
    const refused = result.state === 'refused' ? result : null;
    tell(name, refused?.reason ?? 'done');
    if (!recorded) record(name, by, refused?.reason ?? null, refused?.message ?? text);
    say({ to: jti, command: name, ...result }, onSent);
  }

  async function obey(payload: Uint8Array): Promise<Refusal | null> {
    const verified = await verifyCommand(payload, parts);
    if ('refused' in verified) return refuse(verified);
    const { document, by } = verified;
    const { jti, command } = document;
    const no = (refused: Refusal, message: string) =>
      refuse({ refused, message, by, jti, command: command.name });
    const wrongTime = parts.isTimeTrusted() ? outOfDate(document, clock.now()) : null;
    if (wrongTime !== null) return no(wrongTime.refused, wrongTime.message);
    // An announcement may be an emergency, and must not wait for a `refresh` without a network.
    const line = command.name === 'announce' ? lines.announcements : lines.others;
    if (line.isFull()) return no('too-many', `${MAX_WAITING} commands wait already. Send it again later.`);
    const noted = await seen.note(document, by).catch(() => 'failed' as const);
    if (noted !== 'new') return no(noted, NOT_NOTED[noted]);
    log.info('a command of the fleet was accepted', { command: command.name, by, jti });
    say({ to: jti, command: command.name, state: 'accepted' });
    line.add(() => run(document, by));
    return null;
  }

  async function takeBlocks(payload: Uint8Array): Promise<Refusal | null> {
    const verified = await verifyBlocks(payload, parts);
    return 'refused' in verified ? refuse(verified) : obeyBlocks(verified);
  }

  async function obeyBlocks({ document, by }: Verified<SignedBlocks>, isAgain = false) {
    const { version, aud, blocks } = document;
    const to = `blocks:${version}`;
    const result = await parts.blocks.take(document, by).catch(() => 'failed' as const);
    // The broker sends them only to the next connection.
    if (result === 'failed') again(`${aud} ${version}`, () => void obeyBlocks({ document, by }, true));
    // A disk that is full for days must not push real actions out of the record.
    if (result === 'known' || (isAgain && result !== 'taken')) return null;
    if (result === 'taken') {
      tell('blocks', 'done');
      record('blocks', by, null, `${aud}, version ${version}: ${blocks.length}`);
      say({ to, command: 'blocks', state: 'done' });
      return null;
    }
    const message =
      result === 'failed'
        ? 'They could not be stored, so they are not in force. Check the disk; it is tried again each minute.'
        : `Version ${version} of ${aud} is not above the one in force.`;
    return refuse({ refused: result, message, by, jti: to, command: 'blocks' });
  }

  const guarded =
    (work: (payload: Uint8Array) => Promise<Refusal | null>, mayLook = () => true) =>
    async (payload: Uint8Array): Promise<Refusal | null> => {
      // An empty payload means that a retained topic was cleared.
      if (payload.byteLength === 0) return null;
      if (!mayLook()) return refuse(TOO_MANY);
      return work(payload).catch((error: unknown) => {
        log.error('a command could not be verified', { error });
        return null;
      });
    };
  return {
    /**
     * Resolves when it is refused, or its `jti` is stored so that it is never repeated: then it may be acknowledged.
     */
    command: guarded(obey, metered(VERIFIED)),
    /**
     * Resolves with why they are not obeyed; null: they are in force. All are looked at: lists that were made while a
     * kiosk was off come all at once, and the newest comes last and only once. The link reads them slowly enough.
     */
    blocks: guarded(takeBlocks),
    finish,
  };
}

/** Runs commands one after the other, in the order in which they came. */
function commandLine() {
  const inOrder = oneByOne();
  let waiting = 0;
  return {
    isFull: () => waiting >= MAX_WAITING,
    add(run: () => Promise<void>): void {
      waiting += 1;
      void inOrder(run).finally(() => {
        waiting -= 1;
      });
    },
  };
}

/** Returns a function that runs something later, once where it is asked for it twice. */
function laterOnce(schedule: Schedule): (name: string, run: () => void) => void {
  const waiting = new Set<string>();
  return (name, run) => {
    if (waiting.has(name)) return;
    waiting.add(name);
    schedule(AGAIN_MS, () => {
      waiting.delete(name);
      run();
    });
  };
}

/** Why a command is refused that is not noted as new. */
const NOT_NOTED = {
  failed: 'It could not be stored, so it is not carried out. Check the disk.',
  'too-many':
    'Of the commands of this key the kiosk remembers only some that end later than this one, so it may have come before. Send it with a later end (--valid), or with another key.',
  'seen-before': 'This command was received before and is not repeated.',
};

const NAMES = [...Command.options.map(({ shape }) => shape.name.value), 'blocks' as const];
const knownName = (command: string | null) => NAMES.find((name) => name === command);

function recordedName(command: string | null): RecordedAction['action'] {
  const known = knownName(command);
  return known === 'volume' ? 'sound' : (known ?? 'fleet-command');
}
