import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Log } from '../../shared/log';
import { beforeDeadline, isTimeout, startDeadline } from '../deadline';
import { timers } from '../schedule';
import { type Answer, CLOSE, headersOf, refuse } from './answers';
import type { Connection } from './connections';
import type { Respond } from './routes';
import type { ServerLimits } from './server-limits';

/** A request that was accepted by its head. */
export interface AcceptedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: string;
  readonly respond: Respond;
}

export interface AnsweringParts {
  readonly limits: ServerLimits;
  readonly log: Log;
}

/** The answer to an accepted request; null: its client has disconnected. */
export async function answerTo(
  { limits, log }: AnsweringParts,
  { request, response, path, query, respond }: AcceptedRequest,
): Promise<Answer | null> {
  let body: Buffer | 'too-large' | 'gone' = Buffer.alloc(0);
  if (Number(request.headers['content-length'] ?? 0) > limits.bodyBytes) body = 'too-large';
  else if (hasBody(request)) {
    // Its client sends the body only then.
    if (request.headers.expect !== undefined) response.writeContinue();
    body = await readBody(request, limits.bodyBytes);
  }
  if (body === 'gone') return null;
  if (body === 'too-large')
    return refuse('body-too-large', `Expected a body of at most ${limits.bodyBytes} bytes.`, CLOSE);
  try {
    const deadline = startDeadline(limits.answerMs, timers);
    return await beforeDeadline(deadline, async () => respond({ body, query }));
  } catch (error) {
    if (isTimeout(error)) return refuse('unavailable', `No answer within ${limits.answerMs} ms.`);
    log.error('the local API failed', { path, error: String(error) });
    return refuse('internal', 'This is an error of the player; its log says more.');
  }
}

/** Sends an answer to a request, whose body may still be on its way. */
export async function sendAnswer(
  { limits, log }: AnsweringParts,
  request: IncomingMessage,
  response: ServerResponse,
  connection: Connection,
  answer: Answer,
): Promise<void> {
  const unread = hasBody(request) && !request.complete;
  const headers = { ...headersOf(answer), ...(unread ? CLOSE : {}) };
  if ('Connection' in headers) connection.closing = true;
  response.writeHead(answer.status, headers);
  if (unread) {
    // Closing on unread bytes would reset the connection, and the sender might never see the answer.
    if (request.method !== 'HEAD' && answer.body !== '') response.write(answer.body);
    else response.flushHeaders();
    await drained(request, limits.lingerMs, limits.lingerBytes);
    response.end();
    return;
  }
  if (connection.closing) connection.stopReading();
  if (request.method === 'HEAD') {
    await answer.rest?.return();
    response.end();
  } else if (answer.rest) await stream(response, answer.body, answer.rest, log);
  else response.end(answer.body);
}

/**
 * Streams as fast as the client reads. After an error it closes the connection without the last chunk, so
 * that the client notices.
 */
async function stream(
  response: ServerResponse,
  first: string,
  rest: AsyncGenerator<string, void>,
  log: Log,
): Promise<void> {
  async function* pieces(): AsyncGenerator<string, void> {
    try {
      if (first !== '') yield first;
      yield* rest;
    } catch (error) {
      log.error('the local API could not complete an answer', { error: String(error) });
      // `pipeline` would destroy it with the error, and the server would take that for a request it cannot read.
      response.destroy();
      throw error;
    } finally {
      await rest.return();
    }
  }
  // It rejects after such an error, and when the client disconnects.
  await pipeline(pieces, response).catch(() => {});
}

function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || Number(length ?? 0) > 0;
}

/** Reads a body of at most `maxBytes`; `gone`: the client disconnected. */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'too-large' | 'gone'> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // The request has to live on after a body that is too large, because its answer is still to be sent.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > maxBytes) return 'too-large';
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    return 'gone';
  }
}

/** Reads and discards the rest of a body, for at most `ms` and about `bytes`. */
function drained(request: IncomingMessage, ms: number, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    let size = 0;
    const timer = setTimeout(resolve, ms);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bytes) done();
    });
    request.once('end', done).once('close', done).once('error', done);
    request.resume();
  });
}
