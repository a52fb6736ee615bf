import { addAbortListener } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { type Reached, requestOver } from './reach';
import { asSendError, SendError } from './send-error';

export interface OpenAnswer {
  readonly head: IncomingMessage;
  /** The body through this decoder, which `end` destroys too. */
  decodedBy(decoder: Transform): Readable;
  /**
   * Destroys connection, answer and decoder: the decoder may still work when the
   * answer has ended. May be repeated.
   */
  end(error?: SendError): void;
}

/**
 * One request on an open connection; resolves with the head of its answer, rejects with a `SendError`. Until
 * the body has ended, `signal` destroys connection and answer.
 */
export function exchange(options: {
  readonly reached: Reached;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly signal: AbortSignal;
  /** Whether errors in the form of the answer are taken (`requestOver`). */
  readonly isLenient: boolean;
}): Promise<OpenAnswer> {
  const { reached, signal } = options;
  const { socket } = reached;
  /** The last one first: its reader has to get the error. */
  const held: (Socket | Readable)[] = [socket];
  const end = (error?: SendError) => {
    calledOff[Symbol.dispose]();
    for (const part of held) part.destroy(error);
  };
  const calledOff = addAbortListener(signal, () => end(asSendError(signal.reason, signal, 'maybe')));
  const hold = <T extends Readable>(part: T): T => {
    held.unshift(part);
    // The reader of the body gets the error; without a reader, an unhandled error would end the process.
    part.on('error', () => {});
    return part;
  };

  return new Promise((resolve, reject) => {
    const request = requestOver(reached, options.method, options.headers, options.isLenient);
    request.once('response', (head) => {
      hold(head);
      resolve({
        head,
        decodedBy: (decoder) => pipeline(head, hold(decoder), () => {}),
        end,
      });
    });
    request.once('upgrade', (_answer, upgraded: Socket) => upgraded.destroy());
    request.on('error', (error) => reject(asSendError(error, signal, 'maybe', 'answer')));
    request.once('close', () =>
      reject(new SendError('answer', 'maybe', 'the connection ended without an answer')),
    );
    request.end(options.body);
  });
}
