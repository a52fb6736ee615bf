import { z } from 'zod';
import {
  type Answer,
  Call,
  type CallInput,
  type CallName,
  type CallOutput,
  OneWayMessage,
  type Receivers,
  type RpcContract,
  type RpcPort,
  receive,
} from './rpc';

const LONGEST_MESSAGE = 500;

/** What carries out each call. */
export type RpcCommands<C extends RpcContract> = {
  readonly [N in CallName<C>]: (input: CallInput<C, N>) => CallOutput<C, N> | Promise<CallOutput<C, N>>;
};

/** A call is refused: for the one who made it, with a code of the contract. */
export class RpcError<Code extends string = string> extends Error {
  constructor(
    readonly code: Code,
    message: string,
  ) {
    super(message);
  }
}

const Incoming = z.union([Call, OneWayMessage]);

/**
 * Serves a contract on a port. Every well-formed call gets exactly one answer; for one-way messages there is `tellOn`.
 *
 * @param options.around carries out a call of a known command, or refuses it; `run` checks its input first
 * @param options.errorOf how an error that is no `RpcError` is told to the one who called
 * @param options.onInvalid hears of messages that break the contract; without a number there is nobody to answer
 */
export function serveRpc<C extends RpcContract>(
  contract: C,
  port: RpcPort,
  options: {
    readonly commands: RpcCommands<C>;
    readonly received: Receivers<C['fromClient']>;
    readonly around?: (command: CallName<C>, run: () => Promise<unknown>) => Promise<unknown>;
    readonly errorOf?: (error: unknown, command: CallName<C>) => RpcError;
    readonly onInvalid?: (problem: string) => void;
  },
): void {
  const { commands, received, around = (_command, run) => run(), onInvalid = () => {} } = options;
  const { errorOf = (error) => new RpcError('failed', String(error)) } = options;

  async function run(command: CallName<C>, input: unknown): Promise<unknown> {
    const parsed = z.safeParse(contract.calls[command]?.input as z.core.$ZodType, input);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new RpcError('invalid', `${command}: ${issue?.path.join('.')}: ${issue?.message}`);
    }
    // The input was parsed by this very command's schema.
    return (commands[command] as (value: unknown) => unknown)(parsed.data);
  }

  async function answer({ call, command: name, input }: Call): Promise<Answer> {
    // One that is not known does not get any further.
    const command = name as CallName<C>;
    try {
      if (!Object.hasOwn(contract.calls, name))
        throw new RpcError('unknown-command', `no command is named ${name.slice(0, 50)}`);
      return { call, ok: true, output: await around(command, () => run(command, input)) };
    } catch (thrown) {
      const error = thrown instanceof RpcError ? thrown : errorOf(thrown, command);
      return { call, ok: false, code: error.code, message: error.message.slice(0, LONGEST_MESSAGE) };
    }
  }

  port.onMessage((data) => {
    const { success, data: message, error } = Incoming.safeParse(data);
    if (!success) onInvalid(error.message);
    else if ('call' in message) void answer(message).then(port.send);
    else receive<C['fromClient']>(contract.fromClient, received, message, onInvalid);
  });
}
