import { z } from 'zod';
import { plain } from './plain';

type Schema = z.core.$ZodType;
type OneWay = Readonly<Record<string, Schema>>;

/**
 * The messages between two processes. Both ends are derived from it; each checks every message that it receives, and
 * uses the checked value (rule 21).
 */
export interface RpcContract {
  /** Calls of the client; the server answers each one once. */
  readonly calls: Readonly<Record<string, { readonly input: Schema; readonly output: Schema }>>;
  /** Codes of the errors that the server returns: where there are calls, `invalid` and `unknown-command` too. */
  readonly errorCode: z.core.$ZodType<string>;
  /** One-way messages of the client, which arrive in the order in which they were sent. */
  readonly fromClient: OneWay;
  /** One-way messages of the server, in their order too. */
  readonly fromServer: OneWay;
}

type CallName<C extends RpcContract> = keyof C['calls'] & string;
type CallInput<C extends RpcContract, N extends CallName<C>> = z.infer<C['calls'][N]['input']>;
type CallOutput<C extends RpcContract, N extends CallName<C>> = z.infer<C['calls'][N]['output']>;

type SendOneWay<M extends OneWay> = <N extends keyof M & string>(name: N, value: z.infer<M[N]>) => void;
/** The receiver of each one-way message. */
type Receivers<M extends OneWay> = { readonly [N in keyof M]: (value: z.infer<M[N]>) => void };

/** The transport of messages to the other end and back. It has one listener, the latest. */
export interface RpcPort {
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}

/** The messages on a port. */
export const Call = z.object({ call: plain.whole, command: plain.text, input: z.unknown() });
export type Call = z.infer<typeof Call>;
export const Answer = z.union([
  z.object({ call: plain.whole, ok: z.literal(true), output: z.unknown() }),
  z.object({ call: plain.whole, ok: z.literal(false), code: plain.text, message: plain.text }),
]);
export type Answer = z.infer<typeof Answer>;
export const OneWayMessage = z.object({ tell: plain.text, value: z.unknown() });

/**
 * Returns a function that sends one-way messages on a port. It throws when a message breaks the contract, which is a
 * bug.
 */
export function oneWaySender<M extends OneWay>(port: Pick<RpcPort, 'send'>, messages: M): SendOneWay<M> {
  return (name, value) => port.send({ tell: name, value: z.parse(messages[name] as Schema, value) });
}

/** Checks a one-way message and passes it on, or reports how it breaks the contract. */
function receive<M extends OneWay>(
  messages: M,
  receivers: Receivers<M>,
  { tell, value }: z.infer<typeof OneWayMessage>,
  onInvalid: (problem: string) => void,
): void {
  const schema = Object.hasOwn(messages, tell) ? messages[tell] : undefined;
  const parsed = schema && z.safeParse(schema, value);
  if (parsed?.success) receivers[tell as keyof M](parsed.data as z.infer<M[keyof M]>);
  else onInvalid(parsed ? parsed.error.message : `no message is named ${tell.slice(0, 50)}`);
}

/** The answer to a call, or why there is none. After `timeout` and `lost` it may have been carried out. */
type Reply<C extends RpcContract, N extends CallName<C>> =
  | { readonly ok: true; readonly output: CallOutput<C, N> }
  | { readonly ok: false; readonly code: RpcErrorCode<C>; readonly message: string };
type RpcErrorCode<C extends RpcContract> = z.infer<C['errorCode']> | 'timeout' | 'lost' | 'malformed-answer';

const FromServer = z.union([Answer, OneWayMessage]);

/**
 * @param options.deadline how long a call may take, ms; absent: for ever
 * @param options.onInvalid called for messages that break the contract; they are dropped
 */
export function createRpcClient<C extends RpcContract>(
  contract: C,
  options: {
    readonly received: Receivers<C['fromServer']>;
    readonly onInvalid?: (problem: string) => void;
    readonly deadline?: {
      readonly ms: number;
      readonly schedule: (ms: number, run: () => void) => () => void;
    };
  },
) {
  const { received, deadline, onInvalid = () => {} } = options;
  /** Calls without an answer, by their number. */
  const pending = new Map<number, { readonly message: unknown; settle(answer: Answer | null): void }>();
  let port: RpcPort | null = null;
  let calls = 0;

  function hear(data: unknown): void {
    const { success, data: message, error } = FromServer.safeParse(data);
    if (!success) onInvalid(error.message);
    else if ('call' in message) pending.get(message.call)?.settle(message);
    else receive<C['fromServer']>(contract.fromServer, received, message, onInvalid);
  }

  /** The other end is gone. */
  function disconnect(): void {
    // Without a port, the pending calls were never sent; with one, all of them were.
    if (port === null) return;
    port = null;
    for (const { settle } of [...pending.values()]) settle(null);
  }

  return {
    /** Messages are dropped while there is no port. */
    tell: oneWaySender<C['fromClient']>({ send: (message) => port?.send(message) }, contract.fromClient),
    disconnect,
    /** Uses this port from now on; unanswered calls on the one before are `lost`. */
    connect(next: RpcPort) {
      disconnect();
      port = next;
      next.onMessage((data) => {
        if (port === next) hear(data);
      });
      for (const { message } of pending.values()) next.send(message);
    },
    /** Never rejects. A call that is made before there is a port waits for it, within its deadline. */
    call<N extends CallName<C>>(command: N, input: CallInput<C, N>): Promise<Reply<C, N>> {
      calls += 1;
      const number = calls;
      return new Promise((resolve) => {
        const end = (reply: Reply<C, N>) => {
          pending.delete(number);
          cancel?.();
          resolve(reply);
        };
        const cancel = deadline?.schedule(deadline.ms, () =>
          end({ ok: false, code: 'timeout', message: `no answer within ${deadline.ms} ms` }),
        );
        const message = { call: number, command, input };
        pending.set(number, { message, settle: (answer) => end(checked(contract, command, answer)) });
        port?.send(message);
      });
    },
  };
}

/** Checks an answer by the contract; one that breaks it becomes `malformed-answer`. Null: the other end is gone. */
function checked<C extends RpcContract, N extends CallName<C>>(
  contract: C,
  command: N,
  answer: Answer | null,
): Reply<C, N> {
  if (!answer) return { ok: false, code: 'lost', message: 'the other end is gone' };
  const schema = answer.ok ? contract.calls[command]?.output : contract.errorCode;
  const parsed = z.safeParse(schema as z.core.$ZodType, answer.ok ? answer.output : answer.code);
  if (!parsed.success) return { ok: false, code: 'malformed-answer', message: parsed.error.message };
  // Parsed by the schemas of this very contract.
  return (answer.ok ? { ok: true, output: parsed.data } : answer) as Reply<C, N>;
}

const MAX_MESSAGE_LENGTH = 500;

/** The function that carries out each call. */
export type RpcCommands<C extends RpcContract> = {
  readonly [N in CallName<C>]: (input: CallInput<C, N>) => CallOutput<C, N> | Promise<CallOutput<C, N>>;
};

/** Rejects a call with a code of the contract. */
export class RpcError<Code extends string = string> extends Error {
  constructor(
    readonly code: Code,
    message: string,
  ) {
    super(message);
  }
}

const FromClient = z.union([Call, OneWayMessage]);

/**
 * Serves a contract on a port. Every well-formed call gets exactly one answer; one-way messages are sent with
 * `oneWaySender`.
 *
 * @param options.around carries out a call of a known command, or rejects it; `run` checks its input first
 * @param options.errorOf turns an error that is no `RpcError` into the one that the caller gets
 * @param options.onInvalid called for messages that break the contract; without a call number they get no answer
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
    // An unknown command is rejected below, before it is used.
    const command = name as CallName<C>;
    try {
      if (!Object.hasOwn(contract.calls, name))
        throw new RpcError('unknown-command', `no command is named ${name.slice(0, 50)}`);
      return { call, ok: true, output: await around(command, () => run(command, input)) };
    } catch (thrown) {
      const error = thrown instanceof RpcError ? thrown : errorOf(thrown, command);
      return { call, ok: false, code: error.code, message: error.message.slice(0, MAX_MESSAGE_LENGTH) };
    }
  }

  port.onMessage((data) => {
    const { success, data: message, error } = FromClient.safeParse(data);
    if (!success) onInvalid(error.message);
    else if ('call' in message) void answer(message).then(port.send);
    else receive<C['fromClient']>(contract.fromClient, received, message, onInvalid);
  });
}

/**
 * A port that buffers messages until it has a listener, in their order.
 *
 * @param most how many messages are buffered; further ones are dropped
 * @param onHeld called for each message that comes before there is a listener
 */
export function holdPort(
  port: RpcPort,
  most: number,
  onHeld: (message: unknown) => void = () => {},
): RpcPort {
  const held: unknown[] = [];
  port.onMessage((message) => {
    if (held.length < most) held.push(message);
    onHeld(message);
  });
  return {
    send: (message) => port.send(message),
    onMessage(listener) {
      for (const message of held.splice(0)) listener(message);
      port.onMessage(listener);
    },
  };
}
