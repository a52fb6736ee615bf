import {
  RecordsAnswer,
  type RecordsCommand,
  type RecordsFaultCode,
  type RecordsInput,
  type RecordsOutput,
  recordsCommands,
} from '../../shared/records';

/** The part of a message port that is used here (Electron's `MessagePortMain` has it). */
export interface RecordsPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { data: unknown }) => void): unknown;
  start(): void;
  close(): void;
}

/**
 * A command that was refused or not answered. After `timeout` and `lost` the
 * outcome is unknown: it may have been carried out.
 */
export class RecordsFault extends Error {
  constructor(
    readonly code: RecordsFaultCode | 'timeout' | 'lost' | 'malformed-answer',
    command: RecordsCommand,
    detail: string,
  ) {
    super(`records: ${command}: ${detail}`);
    this.name = 'RecordsFault';
  }
}

export interface Records {
  /** Runs a domain command; resolves after its transaction is durable. Rejects with `RecordsFault`. */
  run<C extends RecordsCommand>(command: C, input: RecordsInput<C>): Promise<RecordsOutput<C>>;
}

export interface RecordsClient extends Records {
  /** Uses a new records window from now on; calls the old one did not answer fail as `lost`. */
  connect(port: RecordsPort): void;
  /** The window is gone. */
  disconnect(): void;
}

interface PendingCall {
  readonly command: RecordsCommand;
  settle(answer: RecordsAnswer): void;
  fail(fault: RecordsFault): void;
}

/**
 * The typed client of the records window. Calls made before a window is connected
 * wait for it, within their deadline.
 *
 * @param schedule runs a function after so many ms; answers how to cancel it
 * @param deadlineMs how long a call may take
 */
export function createRecordsClient(
  schedule: (ms: number, run: () => void) => () => void,
  deadlineMs = 15_000,
): RecordsClient {
  let port: RecordsPort | null = null;
  let lastCall = 0;
  const pending = new Map<number, PendingCall>();
  const waiting: Array<{ call: number; command: RecordsCommand; input: unknown }> = [];

  function onMessage(data: unknown): void {
    const answer = RecordsAnswer.safeParse(data);
    if (!answer.success) return;
    pending.get(answer.data.call)?.settle(answer.data);
  }

  function disconnect(): void {
    port?.close();
    port = null;
    const sent = [...pending].filter(([call]) => !waiting.some((queued) => queued.call === call));
    for (const [, call] of sent)
      call.fail(new RecordsFault('lost', call.command, 'the records window is gone'));
  }

  return {
    connect(next) {
      disconnect();
      port = next;
      next.on('message', ({ data }) => {
        if (port === next) onMessage(data);
      });
      next.start();
      for (const queued of waiting.splice(0)) next.postMessage(queued);
    },
    disconnect,
    run<C extends RecordsCommand>(command: C, input: RecordsInput<C>): Promise<RecordsOutput<C>> {
      return new Promise((resolve, reject) => {
        lastCall += 1;
        const call = lastCall;
        const done = () => {
          pending.delete(call);
          const index = waiting.findIndex((queued) => queued.call === call);
          if (index >= 0) waiting.splice(index, 1);
          cancel();
        };
        const cancel = schedule(deadlineMs, () => {
          done();
          reject(new RecordsFault('timeout', command, `no answer within ${deadlineMs} ms`));
        });
        pending.set(call, {
          command,
          settle(answer) {
            done();
            if (!answer.ok) return reject(new RecordsFault(answer.code, command, answer.message));
            const output = recordsCommands[command].output.safeParse(answer.output);
            if (!output.success) {
              return reject(new RecordsFault('malformed-answer', command, output.error.message));
            }
            // Parsed by this very command's schema.
            resolve(output.data as RecordsOutput<C>);
          },
          fail(fault) {
            done();
            reject(fault);
          },
        });
        const message = { call, command, input };
        if (port) port.postMessage(message);
        else waiting.push(message);
      });
    },
  };
}
