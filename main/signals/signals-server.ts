import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Registry } from 'prom-client';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { carriesToken, checkOrigin } from './access';
import {
  type Answer,
  headersOf,
  json,
  lastWords,
  noContent,
  PlaysQuery,
  type RefusalCode,
  refuse,
} from './answers';
import { type Connection, toGiveUp } from './connections';
import { codeOf, removePort, tokenIn, writePort } from './endpoint-files';
import { type HealthChecks, judgeHealth } from './health';
import { listenOnLoopback } from './loopback-listeners';
import { openApiDocument } from './openapi';
import { PortionedSocket } from './portioned-socket';
import { type Bucket, fullBucket, type Rate, takeOne } from './rate-limit';
import { readJson } from './request-json';
import { readSignal, SIGNAL_KINDS } from './signal-bodies';
import type { Signals } from './signals';
import { Status } from './status';

/** What a client may take up. Times in ms, sizes in bytes. */
export interface SignalsServerLimits {
  readonly bodyBytes: number;
  readonly headerBytes: number;
  readonly connections: number;
  /** Requests a connection may have sent before the first of them is answered. */
  readonly pipelined: number;
  /** From the connection, or the end of the answer before, to the end of the headers. */
  readonly headersTimeoutMs: number;
  /** For the whole request, its body included. */
  readonly requestTimeoutMs: number;
  readonly keepAliveMs: number;
  /** Applies thrice: to callers with the token, to `/healthz`, and to everyone else together. */
  readonly rate: Rate;
  /** How long and how much of a refused body is still read, so that its sender sees the answer. */
  readonly lingerMs: number;
  readonly lingerBytes: number;
  /** How long status, health, metrics and plays may take to gather. */
  readonly answerMs: number;
}

const DEFAULT_LIMITS: SignalsServerLimits = {
  bodyBytes: 65_536,
  headerBytes: 8192,
  connections: 64,
  pipelined: 16,
  headersTimeoutMs: 5000,
  requestTimeoutMs: 10_000,
  keepAliveMs: 15_000,
  rate: { perSecond: 50, burst: 100 },
  lingerMs: 1000,
  lingerBytes: 16_777_216,
  answerMs: 2000,
};

/** Plays with `from` ≤ at < `to` (ms since the epoch), oldest first, as lines in pieces of many; rejects when the books do not answer. */
export type PlaysReader = (range: {
  readonly from: number | null;
  readonly to: number | null;
}) => AsyncGenerator<string, void>;

export interface SignalsServerParts {
  /** 0 picks a free one. */
  readonly port: number;
  /** `signals-token` and `signals-port` in the data folder. */
  readonly tokenFile: string;
  readonly portFile: string;
  readonly signals: Signals;
  readonly status: () => Status | Promise<Status>;
  readonly health: () => HealthChecks | Promise<HealthChecks>;
  readonly registry: Registry;
  /** With it `GET /v1/plays` exists. */
  readonly plays?: PlaysReader;
  /** Told of every answer, refusals of unreadable requests included; `route` is a known path or `other`. */
  readonly answered?: (route: string, status: number) => void;
  readonly version: string;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
  readonly limits?: Partial<SignalsServerLimits>;
}

export interface SignalsServer {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Ends every connection and takes the port file away. */
  close(): Promise<void>;
}

/** Why there is no signals API; the kiosk plays without it, and its status and log say so. */
export interface SignalsServerError {
  readonly code: 'token-unusable' | 'port-taken' | 'listen-failed';
  readonly message: string;
}

export type SignalsServerStart =
  | { readonly ok: true; readonly server: SignalsServer }
  | { readonly ok: false; readonly error: SignalsServerError };

/** A few dozen requests at most; a signal usually fits. */
const PORTION_BYTES = 4096;

const CLOSE: Readonly<Record<string, string>> = { Connection: 'close' };

type Route = Readonly<
  Record<string, (request: { readonly body: Buffer; readonly query: string }) => Answer | Promise<Answer>>
>;

/** Starts the loopback HTTP API on 127.0.0.1 and [::1]. Never throws: what can go wrong comes back as a value. */
export async function createSignalsServer(parts: SignalsServerParts): Promise<SignalsServerStart> {
  const { clock, log } = parts;
  const limits: SignalsServerLimits = { ...DEFAULT_LIMITS, ...parts.limits };

  // A port of an earlier run would send sensors, and their token, to whoever listens there now.
  await removePort(parts.portFile).catch((error: unknown) =>
    log.warn('the old port file could not be removed', { error: codeOf(error) }),
  );
  const reading = await tokenIn(parts.tokenFile);
  if (!reading.ok) return { ok: false, error: { code: 'token-unusable', message: reading.message } };
  const { token } = reading;
  if (reading.made) log.info('a new token for the signals API was made', { file: parts.tokenFile });
  if (reading.exposed) log.warn('the token file was open to others', { file: parts.tokenFile });

  const noteRefusal = createRefusalLog(clock, log);
  const routes = createRoutes(parts, limits, () => port);
  let port = 0;

  const connections = new Map<Duplex, Connection>();
  const buckets = new Map<'token' | 'health' | 'refused', Bucket>();

  function waitFor(caller: 'token' | 'health' | 'refused'): number {
    const now = clock.monotonic();
    const taken = takeOne(buckets.get(caller) ?? fullBucket(limits.rate, now), limits.rate, now);
    buckets.set(caller, taken.bucket);
    return taken.waitMs;
  }

  /** The refusal a request earns by its head alone, or null. */
  function judge(request: IncomingMessage, connection: Connection, path: string): Answer | null {
    const fault = checkOrigin(
      {
        hosts: rawValues(request, 'host'),
        origin: request.headers.origin,
        secFetchSite: oneValue(request.headers['sec-fetch-site']),
      },
      port,
    );
    const trusted = fault === null && carriesToken(request.headers.authorization, token);
    if (trusted) connection.trusted = true;
    const open = path === '/healthz';

    const waitMs = waitFor(trusted ? 'token' : fault === null && open ? 'health' : 'refused');
    if (waitMs > 0) {
      return refuse('rate-limited', 'Too many requests.', {
        'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))),
        ...(trusted ? {} : CLOSE),
      });
    }
    if (connection.pending > limits.pipelined) {
      return refuse('rate-limited', 'Too many requests at once.', { 'Retry-After': '1', ...CLOSE });
    }
    // A stranger gets one refusal for a connection: more would only cost the player time.
    if (fault !== null) return refuse(fault.code, fault.message, CLOSE);
    if (!trusted && !open) {
      return refuse(
        'unauthorized',
        'Expected Authorization: Bearer with the token of the signals-token file.',
        {
          'WWW-Authenticate': 'Bearer realm="endcap"',
          ...CLOSE,
        },
      );
    }
    const route = routes.get(path);
    if (route === undefined) return refuse('not-found', 'There is nothing at this path.');
    if (!allowed(route).includes(request.method ?? '')) {
      const allow = allowed(route).join(', ');
      return refuse('method-not-allowed', `Expected one of ${allow}.`, { Allow: allow });
    }
    if (request.method === 'PUT') return judgeContent(request);
    return null;
  }

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
    awaited: boolean,
  ): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    // A refusal is on its way before the next pipelined request is read: no await between here and send.
    const refusal = judge(request, connection, path);
    const answer = refusal ?? (await answerTo(request, response, path, query, awaited));
    if (answer === null) return;
    noteAnswer(routes.has(path) ? path : 'other', answer);
    await send(request, response, connection, answer);
  }

  async function answerTo(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: string,
    awaited: boolean,
  ): Promise<Answer | null> {
    let body: Buffer = Buffer.alloc(0);
    if (hasBody(request)) {
      if (Number(request.headers['content-length'] ?? 0) > limits.bodyBytes)
        return tooLarge(limits.bodyBytes);
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
      return await withDeadline(respond({ body, query }), limits.answerMs);
    } catch (error) {
      log.error('the signals API failed', { path, error: String(error) });
      return refuse('internal', 'This is a fault of the player; its log says more.');
    }
  }

  async function send(
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
    if (answer.rest) await stream(request, response, answer.body, answer.rest);
    else response.end(request.method === 'HEAD' ? undefined : answer.body);
  }

  /** As fast as the other end takes it. What breaks off in the middle ends without the end that HTTP has for it. */
  async function stream(
    request: IncomingMessage,
    response: ServerResponse,
    first: string,
    rest: AsyncGenerator<string, void>,
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

  function noteAnswer(route: string, answer: Answer): void {
    parts.answered?.(route, answer.status);
    if (answer.refusal !== null) noteRefusal(route, answer.refusal);
  }

  /** Ends a connection with a word, where there is no request to answer through. */
  function dismiss(socket: Duplex, answer: Answer): void {
    noteAnswer('other', answer);
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(lastWords(answer, STATUS_CODES[answer.status] ?? ''), () => socket.destroy());
  }

  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(1000, Math.ceil(limits.headersTimeoutMs / 4)),
    // Checked here, with a word for the answer.
    requireHostHeader: false,
  });
  // Against clients that stop reading their answer: nothing moved for longer than any request may take.
  server.setTimeout(limits.requestTimeoutMs + limits.keepAliveMs);

  function onRequest(request: IncomingMessage, response: ServerResponse, awaited: boolean): void {
    const connection = connections.get(request.socket);
    // Given up, or pipelined behind a request that ends the connection: its answer could not be sent, so nothing is done.
    if (connection === undefined || connection.closing) return;
    connection.pending += 1;
    response.once('close', () => {
      connection.pending -= 1;
    });
    response.on('error', () => request.socket.destroy());
    serve(request, response, connection, awaited).catch((error: unknown) => {
      log.error('the signals API failed', { error: String(error) });
      request.socket.destroy();
    });
  }
  server.on('request', (request, response) => onRequest(request, response, false));
  server.on('checkContinue', (request, response) => onRequest(request, response, true));
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket);
    if (connection === undefined || connection.closing) return;
    const answer = refuse('expectation-failed', 'Expected no Expect header but 100-continue.', CLOSE);
    noteAnswer('other', answer);
    send(request, response, connection, answer).catch(() => request.socket.destroy());
  });
  server.on('connect', (_request, socket: Duplex) =>
    dismiss(socket, refuse('method-not-allowed', 'This is no proxy.', { Allow: 'GET, HEAD, PUT, DELETE' })),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const answer = unreadable(error.code);
    const connection = connections.get(socket);
    const answering = connection === undefined || connection.closing || connection.pending > 1;
    if (answer === null || answering) socket.destroy();
    else dismiss(socket, answer);
  });
  // The server's own listener is given portioned sockets, as its documentation allows.
  const serveConnection = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (accepted: Socket) => {
    const socket = new PortionedSocket(accepted, PORTION_BYTES);
    // The server lets go of a socket that asks for a tunnel: then nobody else would hear of its end.
    socket.on('error', () => socket.destroy());
    connections.set(socket, {
      trusted: false,
      pending: 0,
      closing: false,
      stopReading: () => socket.stopReading(),
    });
    socket.once('close', () => connections.delete(socket));
    if (connections.size > limits.connections) {
      const leaving = toGiveUp(connections, socket) ?? socket;
      connections.delete(leaving);
      dismiss(leaving, refuse('too-many-connections', 'Too many connections.', { 'Retry-After': '1' }));
    }
    for (const listener of serveConnection) listener.call(server, socket);
  });

  const listening = await listenOnLoopback(server, parts.port);
  if (!listening.ok) return { ok: false, error: notListening(listening) };
  port = listening.port;
  // Out of file handles, say: callers cannot come in for now, and the kiosk plays on.
  server.on('error', (error) =>
    log.error('the signals API cannot take connections', { error: codeOf(error) }),
  );
  await writePort(parts.portFile, port).catch((error: unknown) =>
    log.warn('the port file could not be written', { error: codeOf(error) }),
  );
  log.info('the signals API listens', {
    port,
    addresses: listening.hasIpv6 ? '127.0.0.1 and [::1]' : '127.0.0.1; there is no IPv6 on this machine',
  });

  let closing: Promise<void> | null = null;
  return {
    ok: true,
    server: {
      url: `http://127.0.0.1:${port}`,
      port,
      token,
      close() {
        closing ??= listening.close().then(() => removePort(parts.portFile).catch(() => undefined));
        return closing;
      },
    },
  };
}

function createRoutes(
  parts: SignalsServerParts,
  limits: SignalsServerLimits,
  port: () => number,
): ReadonlyMap<string, Route> {
  const { signals, log } = parts;
  const routes = new Map<string, Route>();
  for (const kind of SIGNAL_KINDS) {
    routes.set(`/v1/signals/${kind}`, {
      PUT({ body }) {
        const read = readJson(body);
        if (!read.ok) return refuse(read.code, read.message);
        const reading = readSignal(kind, read.value);
        if (!reading.ok) return refuse(reading.fault.code, reading.fault.message);
        signals.set(reading.signal);
        return noContent;
      },
      DELETE() {
        signals.clear(kind);
        return noContent;
      },
    });
  }
  routes.set('/v1/status', {
    async GET() {
      const status = Status.safeParse(await parts.status());
      if (status.success) return json(200, status.data);
      log.error('the status does not fit its schema', {
        fields: status.error.issues.slice(0, 5).map(({ path }) => path.join('.')),
      });
      return refuse('internal', 'The status does not fit its own schema; the log says where.');
    },
  });
  routes.set('/healthz', {
    async GET() {
      const health = judgeHealth(await parts.health());
      return json(health.status === 'ok' ? 200 : 503, health);
    },
  });
  routes.set('/metrics', {
    async GET() {
      const body = await parts.registry.metrics();
      return { status: 200, refusal: null, type: parts.registry.contentType, body, headers: {} };
    },
  });
  let document: Answer | null = null;
  routes.set('/v1/openapi.json', {
    GET() {
      document ??= json(
        200,
        openApiDocument({
          version: parts.version,
          port: port(),
          bodyBytes: limits.bodyBytes,
          plays: parts.plays !== undefined,
        }),
      );
      return document;
    },
  });
  const { plays } = parts;
  if (plays !== undefined) {
    routes.set('/v1/plays', {
      async GET({ query }) {
        const asked = PlaysQuery.safeParse(Object.fromEntries(new URLSearchParams(query)));
        if (!asked.success) {
          return refuse('invalid-query', 'Expected nothing but from and to, as RFC 3339 instants.');
        }
        const { from, to } = asked.data;
        const range = {
          from: from === undefined ? null : Date.parse(from),
          to: to === undefined ? null : Date.parse(to),
        };
        const rest = plays(range);
        // The first piece before the head: books that do not answer are told with a status.
        const first = await rest.next();
        return {
          status: 200,
          refusal: null,
          type: 'application/x-ndjson; charset=utf-8',
          body: first.value ?? '',
          rest,
          headers: {},
        };
      },
    });
  }
  return routes;
}

/** Writes a piece and waits until there is room for the next, or nobody for it. */
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

function allowed(route: Route): string[] {
  const methods = Object.keys(route);
  return methods.includes('GET') ? ['GET', 'HEAD', ...methods.filter((name) => name !== 'GET')] : methods;
}

function judgeContent(request: IncomingMessage): Answer | null {
  const [type = '', ...attributes] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = attributes.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  const plain = request.headers['content-encoding'] === undefined;
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type.trim() === 'application/json' && utf8 && plain) return null;
  return refuse('unsupported-media-type', 'Expected Content-Type: application/json in UTF-8, not encoded.');
}

function tooLarge(bytes: number): Answer {
  return refuse('body-too-large', `Expected a body of at most ${bytes} bytes.`, CLOSE);
}

/** What a request that could not be read earns; null: nobody is there to be told. */
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

function rawValues(request: IncomingMessage, name: string): string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter((_value, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}

function oneValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || Number(length ?? 0) > 0;
}

function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'too-large' | 'gone'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) done('too-large');
      else chunks.push(chunk);
    };
    const onEnd = () => done(Buffer.concat(chunks));
    const onGone = () => done('gone');
    function done(result: Buffer | 'too-large' | 'gone'): void {
      request.off('data', onData).off('end', onEnd).off('close', onGone);
      resolve(result);
    }
    request.on('data', onData).on('end', onEnd).on('close', onGone);
    request.on('error', onGone);
  });
}

/** Lets what is left of a body run by, for so long and so many bytes at most. */
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

async function withDeadline(answer: Answer | Promise<Answer>, ms: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve(refuse('unavailable', `No answer within ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

function notListening({
  address,
  code,
}: {
  readonly address: string;
  readonly code: string;
}): SignalsServerError {
  if (code !== 'EADDRINUSE') return { code: 'listen-failed', message: `${address}: ${code}` };
  return {
    code: 'port-taken',
    message:
      `${address}: another program listens there (${code}). The API needs its port on 127.0.0.1 and on [::1], ` +
      'or clients that say "localhost" could hand their token to that program. ' +
      'End that program, or set signals.port to another port, or to 0 for a free one.',
  };
}

const REFUSAL_LOG_MS = 60_000;

/** Logs each kind of refusal at most once a minute, with how many there were: a flood of requests is no flood of lines. */
function createRefusalLog(
  clock: Pick<Clock, 'monotonic'>,
  log: Log,
): (route: string, code: RefusalCode) => void {
  const unsaid = new Map<RefusalCode, { count: number; saidAt: number }>();
  return (route, code) => {
    const now = clock.monotonic();
    const entry = unsaid.get(code) ?? { count: 0, saidAt: Number.NEGATIVE_INFINITY };
    entry.count += 1;
    unsaid.set(code, entry);
    if (now - entry.saidAt < REFUSAL_LOG_MS) return;
    log.warn('the signals API refused requests', { route, code, count: entry.count });
    entry.count = 0;
    entry.saidAt = now;
  };
}
