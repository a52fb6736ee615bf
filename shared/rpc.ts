import { z } from 'zod';

type Schema = z.core.$ZodType;
type OneWay = Readonly<Record<string, Schema>>;

/**
 * What two processes say to each other. Both ends are derived from it; each checks every message that it
 * receives, and uses the checked value (rule 21).
 */
export interface RpcContract {
  /** Made by the client; the server answers each one once. */
  readonly calls: Readonly<Record<string, { readonly input: Schema; readonly output: Schema }>>;
  /** Codes of the errors that the server answers with: `invalid` and `unknown-command` among them. */
  readonly errorCode: z.core.$ZodType<string>;
  /** One-way messages of the client, which arrive in the order in which they were sent. */
  readonly fromClient: OneWay;
  /** One-way messages of the server, likewise. */
  readonly fromServer: OneWay;
}

export type CallName<C extends RpcContract> = keyof C['calls'] & string;
export type CallInput<C extends RpcContract, N extends CallName<C>> = z.infer<C['calls'][N]['input']>;
export type CallOutput<C extends RpcContract, N extends CallName<C>> = z.infer<C['calls'][N]['output']>;

export type Tell<M extends OneWay> = <N extends keyof M & string>(name: N, value: z.infer<M[N]>) => void;
/** What is done with each one-way message. */
export type Receivers<M extends OneWay> = { readonly [N in keyof M]: (value: z.infer<M[N]>) => void };

/** What carries messages to the other end and back. It has one listener, the latest. */
export interface RpcPort {
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}

export const Call = z.object({ call: z.int(), command: z.string(), input: z.unknown() });
export type Call = z.infer<typeof Call>;
export const Answer = z.union([
  z.object({ call: z.int(), ok: z.literal(true), output: z.unknown() }),
  z.object({ call: z.int(), ok: z.literal(false), code: z.string(), message: z.string() }),
]);
export type Answer = z.infer<typeof Answer>;
export const OneWayMessage = z.object({ tell: z.string(), value: z.unknown() });

/** How to send one-way messages on a port. It throws when one breaks the contract, which is a bug. */
export function tellOn<M extends OneWay>(port: Pick<RpcPort, 'send'>, messages: M): Tell<M> {
  return (name, value) => port.send({ tell: name, value: z.parse(messages[name] as Schema, value) });
}

/** Checks a one-way message and hands it over, or says why it breaks the contract. */
export function receive<M extends OneWay>(
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

/**
 * A port that keeps what comes before somebody listens; the order stays.
 *
 * @param most what comes beyond so many is dropped
 * @param onHeld is called at each message that is kept
 */
export function holdPort(port: RpcPort, most: number, onHeld: () => void = () => {}): RpcPort {
  const held: unknown[] = [];
  port.onMessage((message) => {
    if (held.length < most) held.push(message);
    onHeld();
  });
  return {
    send: (message) => port.send(message),
    onMessage(listener) {
      for (const message of held.splice(0)) listener(message);
      port.onMessage(listener);
    },
  };
}
