import type { ServerResponse } from 'node:http';
import { asError, describeError } from '../describe-error';
import type { Fault } from './faults';
import type { Answer } from './http-answer';

/** Headers of every answer; null leaves one out. */
export interface Stamp {
  readonly date: Date | null;
  readonly ageSeconds: number | null;
}

const PORTAL = `<!doctype html><html><head><title>Welcome to StoreNet</title></head>
<body><h1>Please accept the terms to go online</h1><form><button>Accept</button></form></body></html>`;

const CHUNK = 64 * 1024;
const DRIPS_PER_SECOND = 10;

/**
 * Sends an answer, changed by a fault if there is one. Resolves when sending has begun; rejects if Node cannot send
 * it. Its timers are cleared when the connection closes.
 */
export async function deliver(
  response: ServerResponse,
  method: string,
  answer: Answer,
  fault: Fault | null,
  stamp: Stamp,
): Promise<void> {
  if (fault?.delayMs !== undefined) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, fault.delayMs);
      response.once('close', () => clearTimeout(timer));
    });
  }
  send(response, method, answer, fault, stamp);
}

/** Answers 500 with the error, or breaks the connection if a part of another answer was sent. */
export function deliverError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  response.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(describeError(asError(error)));
}

/** The answer as a fault changes it. It stays a well-formed HTTP message. */
function applyFault(answer: Answer, fault: Fault | null): Answer {
  switch (fault?.kind) {
    case 'status':
      return {
        status: fault.status,
        headers: {
          ...(fault.body !== undefined && { 'Content-Type': fault.contentType ?? 'text/plain' }),
          ...(fault.retryAfter !== undefined && { 'Retry-After': String(fault.retryAfter) }),
          ...fault.headers,
        },
        body: Buffer.from(fault.body ?? ''),
      };
    case 'garbage':
      return { ...answer, body: garbage(Math.max(answer.body.length, 512)) };
    case 'html':
      return {
        status: 200,
        headers: { 'Content-Type': 'text/html; charset=utf-8' },
        body: Buffer.from(PORTAL),
      };
    case 'content-type':
      return { ...answer, headers: { ...answer.headers, 'Content-Type': fault.contentType } };
    case 'truncate':
      return fault.wellFormed === true
        ? { ...answer, body: answer.body.subarray(0, fault.afterBytes) }
        : answer;
    default:
      return answer;
  }
}

/** Sends the answer, and applies faults that change its transfer. */
function send(
  response: ServerResponse,
  method: string,
  right: Answer,
  fault: Fault | null,
  stamp: Stamp,
): void {
  const answer = applyFault(right, fault);
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  writeHead(response, answer, stamp, fault?.kind === 'oversize' ? null : answer.body.length);
  if (method === 'HEAD') {
    response.end();
    return;
  }
  switch (fault?.kind) {
    case 'oversize':
      pour(response, answer.body, fault.bytes);
      break;
    case 'drip':
      drip(response, answer.body, fault.bytesPerSecond);
      break;
    case 'truncate':
      if (fault.wellFormed === true) response.end(answer.body);
      else breakOff(response, answer.body, fault.afterBytes);
      break;
    default:
      response.end(answer.body);
  }
}

/** Sends the first bytes, then closes the connection before the declared length. */
function breakOff(response: ServerResponse, body: Buffer, afterBytes: number): void {
  response.flushHeaders();
  // Only once the bytes have left: destroying at once would throw them away too.
  response.write(body.subarray(0, Math.min(afterBytes, body.length - 1)), () => response.socket?.destroy());
}

function writeHead(response: ServerResponse, answer: Answer, stamp: Stamp, length: number | null): void {
  response.sendDate = false;
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  if (stamp.date !== null) response.setHeader('Date', stamp.date.toUTCString());
  if (stamp.ageSeconds !== null) response.setHeader('Age', String(stamp.ageSeconds));
  const bodiless = answer.status === 204 || answer.status === 304;
  if (length !== null && !bodiless) response.setHeader('Content-Length', length);
}

/** Bytes without meaning, the same each time, with no run that a lenient reader could take for text. */
function garbage(length: number): Buffer {
  let state = 0x2545f491;
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

function pour(response: ServerResponse, start: Buffer, total: number): void {
  const space = Buffer.alloc(CHUNK, 0x20);
  let left = total - start.length;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      const chunk = space.subarray(0, Math.min(CHUNK, left));
      left -= chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  response.write(start);
  more();
}

function drip(response: ServerResponse, body: Buffer, bytesPerSecond: number): void {
  response.flushHeaders();
  const drops = Math.min(DRIPS_PER_SECOND, bytesPerSecond);
  const size = Math.ceil(bytesPerSecond / drops);
  let sent = 0;
  const timer = setInterval(() => {
    response.write(body.subarray(sent, sent + size));
    sent += size;
    if (sent >= body.length) {
      clearInterval(timer);
      response.end();
    }
  }, 1000 / drops);
  response.once('close', () => clearInterval(timer));
}
