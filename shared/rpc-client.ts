import { z } from 'zod';
import {
  Answer,
  type CallInput,
  type CallName,
  type CallOutput,
  OneWayMessage,
  type Receivers,
  type RpcContract,
  type RpcPort,
  receive,
  type Tell,
  tellOn,
} from './rpc';

/**
 * Why there is no output: an error of the server; or of this end. After `timeout` and `lost` the outcome is
 * unknown, because the call may have been carried out.
 */
export type RpcErrorCode<C extends RpcContract> =
  | z.infer<C['errorCode']>
  | 'timeout'
  | 'lost'
  | 'malformed-answer';

export type Reply<C extends RpcContract, N extends CallName<C>> =
  | { readonly ok: true; readonly output: CallOutput<C, N> }
  | { readonly ok: false; readonly code: RpcErrorCode<C>; readonly message: string };

export interface RpcClient<C extends RpcContract> {
  /** Never rejects. A call that is made before there is a port waits for it, within its deadline. */
  call<N extends CallName<C>>(command: N, input: CallInput<C, N>): Promise<Reply<C, N>>;
  /** Dropped while there is no port. */
  readonly tell: Tell<C['fromClient']>;
  /** Uses this port from now on; calls that the one before did not answer are `lost`. */
  connect(port: RpcPort): void;
  /** The other end is gone. */
  disconnect(): void;
}

interface PendingCall {
  readonly message: unknown;
  isSent: boolean;
  answered(answer: Answer): void;
  failed(code: 'timeout' | 'lost', message: string): void;
}

const Incoming = z.union([Answer, OneWayMessage]);

/**
 * @param options.deadline how long a call may take, ms; absent: for ever
 * @param options.onInvalid hears of messages that break the contract; they are dropped
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
): RpcClient<C> {
  const { received, deadline, onInvalid = () => {} } = options;
  const pending = new Map<number, PendingCall>();
  let port: RpcPort | null = null;
  let calls = 0;

  function hear(data: unknown): void {
    const { success, data: message, error } = Incoming.safeParse(data);
    if (!success) onInvalid(error.message);
    else if ('call' in message) pending.get(message.call)?.answered(message);
    else receive<C['fromServer']>(contract.fromServer, received, message, onInvalid);
  }

  function disconnect(): void {
    port = null;
    for (const call of [...pending.values()]) if (call.isSent) call.failed('lost', 'the other end is gone');
  }

  return {
    tell: tellOn<C['fromClient']>({ send: (message) => port?.send(message) }, contract.fromClient),
    disconnect,
    connect(next) {
      disconnect();
      port = next;
      next.onMessage((data) => {
        if (port === next) hear(data);
      });
      for (const call of pending.values()) {
        call.isSent = true;
        next.send(call.message);
      }
    },
    call<N extends CallName<C>>(command: N, input: CallInput<C, N>): Promise<Reply<C, N>> {
      calls += 1;
      const number = calls;
      return new Promise((resolve) => {
        const settle = (reply: Reply<C, N>) => {
          pending.delete(number);
          cancel?.();
          resolve(reply);
        };
        const failed: PendingCall['failed'] = (code, message) => settle({ ok: false, code, message });
        const cancel = deadline?.schedule(deadline.ms, () =>
          failed('timeout', `no answer within ${deadline.ms} ms`),
        );
        const message = { call: number, command, input };
        const answered = (answer: Answer) => settle(checked(contract, command, answer));
        pending.set(number, { message, isSent: port !== null, answered, failed });
        port?.send(message);
      });
    },
  };
}

/** The answer as the contract has it; one that breaks it is `malformed-answer`. */
function checked<C extends RpcContract, N extends CallName<C>>(
  contract: C,
  command: N,
  answer: Answer,
): Reply<C, N> {
  const schema = answer.ok ? contract.calls[command]?.output : contract.errorCode;
  const parsed = z.safeParse(schema as z.core.$ZodType, answer.ok ? answer.output : answer.code);
  if (!parsed.success) return { ok: false, code: 'malformed-answer', message: parsed.error.message };
  // Parsed by the schemas of this very contract.
  return (answer.ok ? { ok: true, output: parsed.data } : answer) as Reply<C, N>;
}
