import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../shared/log';
import { timers } from '../schedule';
import { beforeDeadline, isTimeout, startDeadline } from '../service/deadline';
import { type Answer, CLOSE, refuse } from './answers';
import { hasBody, readBody } from './request-body';
import type { Route } from './routes';
import type { SignalsServerLimits } from './server-limits';

export interface AnsweringParts {
  readonly routes: ReadonlyMap<string, Route>;
  readonly limits: SignalsServerLimits;
  readonly log: Log;
}

/** The answer to an accepted request; null: its client has disconnected. */
export async function answerTo(
  { routes, limits, log }: AnsweringParts,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: string,
  awaited: boolean,
): Promise<Answer | null> {
  let body: Buffer = Buffer.alloc(0);
  if (hasBody(request)) {
    if (Number(request.headers['content-length'] ?? 0) > limits.bodyBytes) return tooLarge(limits.bodyBytes);
    if (awaited) response.writeContinue();
    const read = await readBody(request, limits.bodyBytes);
    if (read === 'too-large') return tooLarge(limits.bodyBytes);
    if (read === 'gone') return null;
    body = read;
  }
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const respond = routes.get(path)?.[method];
  if (respond === undefined) return refuse('not-found', 'There is nothing at this path.');
  try {
    const deadline = startDeadline(limits.answerMs, timers);
    return await beforeDeadline(deadline, async () => respond({ body, query }));
  } catch (error) {
    if (isTimeout(error)) return refuse('unavailable', `No answer within ${limits.answerMs} ms.`);
    log.error('the signals API failed', { path, error: String(error) });
    return refuse('internal', 'This is an error of the player; its log says more.');
  }
}

function tooLarge(bytes: number): Answer {
  return refuse('body-too-large', `Expected a body of at most ${bytes} bytes.`, CLOSE);
}
