import {
  AdminCall,
  type AdminCommand,
  type AdminFaultCode,
  type AdminInput,
  type AdminMessage,
  type AdminOutput,
  adminCommands,
} from '../../shared/admin';
import type { Log } from '../../shared/log';
import { cut } from './bounded-text';

export type AdminCommands = {
  [C in AdminCommand]: (input: AdminInput<C>) => AdminOutput<C> | Promise<AdminOutput<C>>;
};

/** A call that is refused: for the one who asked, in words. */
export class Refusal extends Error {
  constructor(
    readonly code: AdminFaultCode,
    message: string,
  ) {
    super(message);
  }
}

/** Calls under way at once; a page that asks for more is broken. */
const MOST_CALLS = 32;

/**
 * Answers each well-formed call exactly once (rule 21): a known command, permitted
 * in this session, with input of its schema. What is answered is checked too, and
 * an answer that is ready only after the session was locked is not given away.
 */
export function answerAdminCalls(parts: {
  readonly commands: AdminCommands;
  readonly permits: (who: (typeof adminCommands)[AdminCommand]['who']) => boolean;
  readonly send: (message: AdminMessage) => void;
  readonly log: Log;
}): (message: unknown) => Promise<void> {
  const { commands, permits, send, log } = parts;
  let underWay = 0;
  const locked = () => new Refusal('locked', 'The overlay is locked.');

  async function run(command: AdminCommand, input: unknown): Promise<unknown> {
    const { who, input: schema, output } = adminCommands[command];
    if (!permits(who)) throw locked();
    const parsed = schema.safeParse(input);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new Refusal('invalid', `${command}: ${issue?.path.join('.')}: ${issue?.message}`);
    }
    // The input was parsed by this very command's schema.
    const answer = await (commands[command] as (value: unknown) => unknown)(parsed.data);
    if (who === 'viewer' && !permits(who)) throw locked();
    return output.parse(answer);
  }

  return async (message) => {
    const call = AdminCall.safeParse(message);
    if (!call.success) return; // Without a number there is nobody to answer.
    const { call: number, command, input } = call.data;
    const refuse = (code: AdminFaultCode, text: string) =>
      send({ kind: 'refusal', call: number, code, message: cut(text, 500) });
    if (!Object.hasOwn(adminCommands, command)) return refuse('unknown-command', 'There is no such command.');
    if (underWay >= MOST_CALLS) return refuse('busy', 'Too many calls at once.');
    underWay += 1;
    try {
      send({ kind: 'answer', call: number, output: await run(command as AdminCommand, input) });
    } catch (fault) {
      if (fault instanceof Refusal) return refuse(fault.code, fault.message);
      log.error('a call of the overlay failed', { command, fault });
      refuse('failed', 'It did not work; the log says why.');
    } finally {
      underWay -= 1;
    }
  };
}
