import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Judge } from './admission';
import { type AnsweringParts, answerTo, sendAnswer } from './answering';
import { type Answer, closingResponse, refuse } from './answers';
import { Connection, connectionToDrop } from './connections';

export interface ApiServerParts {
  readonly answering: AnsweringParts;
  readonly judge: Judge;
  /** Called for every answer; without a path where no request was read. */
  readonly noteAnswer: (answer: Answer, path?: string) => void;
}

/**
 * Creates the HTTP server of the API, which does not listen yet. It limits the resources of each connection.
 */
export function createApiServer({ answering, judge, noteAnswer }: ApiServerParts): Server {
  const { limits, log } = answering;
  const connections = new Set<Connection>();
  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
  ): Promise<void> {
    const [path = '', ...queries] = (request.url ?? '').split('?');
    const query = queries.join('?');
    // An error has to be sent before the next pipelined request is read: no await between here and send.
    const judged = judge(request, connection, path);
    const answer =
      typeof judged === 'function'
        ? await answerTo(answering, { request, response, path, query, respond: judged })
        : judged;
    if (answer === null) return;
    noteAnswer(answer, path);
    await sendAnswer(answering, request, response, connection, answer);
  }

  /** Rejects a raw socket with an HTTP status, where no request was parsed. */
  function dismiss(socket: Duplex, answer: Answer): void {
    noteAnswer(answer);
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(closingResponse(answer, STATUS_CODES[answer.status] ?? ''), () => socket.destroy());
  }

  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(1000, Math.ceil(limits.headersTimeoutMs / 4)),
    // `judge` checks it and answers with a code.
    requireHostHeader: false,
  });
  // `checkOrigin` has to see every header, a second Host included; `maxHeaderSize` bounds them.
  server.maxHeadersCount = 0;
  // For clients that stop reading their answer: longer than any request may take.
  server.setTimeout(limits.requestTimeoutMs + limits.keepAliveMs);

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const connection = connectionOf(request.socket);
    // The connection was dropped, or an earlier pipelined request closes it: an answer could not be sent.
    if (!connections.has(connection) || connection.closing) return;
    connection.pending += 1;
    response.once('close', () => {
      connection.pending -= 1;
    });
    response.on('error', () => request.socket.destroy());
    serve(request, response, connection).catch((error: unknown) => {
      log.error('the local API failed', { error: String(error) });
      request.socket.destroy();
    });
  }
  // `judge` looks at the Expect header as well.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, onRequest);
  server.on('connect', (_request, socket: Duplex) =>
    dismiss(socket, refuse('method-not-allowed', 'This is no proxy.', { Allow: 'GET, HEAD, PUT, DELETE' })),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const answer = unreadable(error.code);
    const connection = connectionOf(socket);
    const isAnswering = !connections.has(connection) || connection.closing || connection.pending > 1;
    if (answer === null || isAnswering) socket.destroy();
    else dismiss(socket, answer);
  });
  // Node documents that the connection listener accepts any Duplex, so it gets portioned sockets.
  const serveConnection = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (accepted: Socket) => {
    const connection = new Connection(accepted);
    // After CONNECT the server no longer handles errors of the socket.
    connection.on('error', () => connection.destroy());
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
    if (connections.size > limits.connections) {
      const leaving = connectionToDrop(connections, connection) ?? connection;
      connections.delete(leaving);
      dismiss(leaving, refuse('too-many-connections', 'Too many connections.', { 'Retry-After': '1' }));
    }
    for (const listener of serveConnection) listener.call(server, connection);
  });
  return server;
}

/** The socket of a request: every one is a `Connection`, as the server gets no others. */
const connectionOf = (socket: Duplex) => socket as Connection;

/** The answer to a request that could not be read; null: its sender is gone. */
function unreadable(code: string | undefined): Answer | null {
  switch (code) {
    case 'ECONNRESET':
    case 'EPIPE':
      return null;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refuse('timeout', 'The request did not arrive in time.');
    case 'HPE_HEADER_OVERFLOW':
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return refuse('headers-too-large', 'The headers are too large.');
    default:
      return refuse('bad-request', 'This is no HTTP request.');
  }
}
