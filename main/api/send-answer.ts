import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../shared/log';
import type { AnsweringParts } from './answering';
import { type Answer, CLOSE, headersOf } from './answers';
import type { Connection } from './connections';
import { drained, hasBody } from './request-body';

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
  if (answer.rest) await stream(request, response, answer.body, answer.rest, log);
  else response.end(request.method === 'HEAD' ? undefined : answer.body);
}

/**
 * Streams as fast as the client reads. After an error it closes the connection without the last chunk, so
 * that the client notices.
 */
async function stream(
  request: IncomingMessage,
  response: ServerResponse,
  first: string,
  rest: AsyncGenerator<string, void>,
  log: Log,
): Promise<void> {
  try {
    if (request.method !== 'HEAD') {
      await taken(response, first);
      for await (const piece of rest) {
        if (response.destroyed) return;
        await taken(response, piece);
      }
    }
    response.end();
  } catch (error) {
    log.error('the signals API could not go on with an answer', { error: String(error) });
    request.socket.destroy();
  } finally {
    await rest.return();
  }
}

/** Writes a piece and waits until there is room for the next, or the connection is closed. */
function taken(response: ServerResponse, piece: string): Promise<void> {
  if (response.destroyed || piece === '' || response.write(piece)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}
