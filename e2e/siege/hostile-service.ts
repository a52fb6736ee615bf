import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type DemoService, startDemoService } from '../../main/demo-service/demo-service';
import { listening } from '../../tools/fleet/loopback-ports';

/** A request of the kiosk, as received. */
export interface HeardRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Time of arrival; ms, `performance.now`. */
  readonly at: number;
}

/** A complete answer of the demo service. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Answers a request in place of the demo service, or returns false to leave it to the next one. */
export type Answerer = (request: HeardRequest, response: ServerResponse) => boolean;
/** Changes an answer of the demo service before it is sent. */
export type Changer = (request: HeardRequest, answer: WholeAnswer) => WholeAnswer;

export type HostileService = Awaited<ReturnType<typeof startHostileService>>;

const MAX_HEARD = 20_000;

/**
 * Puts the demo service behind a server that can answer as no good service would, over real HTTP and on two
 * loopback addresses.
 */
export async function startHostileService() {
  const demo = await startDemoService({ keep: 5_000 });
  const sockets = new Set<Socket>();
  let answerers: Answerer[] = [];
  let changers: Changer[] = [];
  let heard: HeardRequest[] = [];
  let refuses = false;

  function take(incoming: IncomingMessage, response: ServerResponse): void {
    response.sendDate = false;
    const target = incoming.url ?? '/';
    const url = URL.canParse(target, demo.origin) ? new URL(target, demo.origin) : new URL(demo.origin);
    const request: HeardRequest = {
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      target,
      headers: incoming.headers,
      at: performance.now(),
    };
    if (heard.length < MAX_HEARD) heard.push(request);
    if (answerers.some((answerer) => answerer(request, response))) {
      incoming.resume();
      return;
    }
    forward(demo, incoming, response, (answer) =>
      changers.reduce((changed, changer) => changer(request, changed), answer),
    );
  }

  const servers = await Promise.all(
    ['127.0.0.1', '127.0.0.2'].map(async (host) => {
      const server = http.createServer({ keepAliveTimeout: 30_000 }, take);
      server.on('connection', (socket) => {
        if (refuses) {
          socket.resetAndDestroy();
          return;
        }
        sockets.add(socket);
        socket.on('error', () => {});
        socket.once('close', () => sockets.delete(socket));
      });
      const { port, [Symbol.asyncDispose]: close } = await listening(server, host);
      return { close, origin: `http://${host}:${port}` };
    }),
  );
  const dropAll = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };

  return {
    /** The origin in the kiosk's settings. */
    origin: servers[0]?.origin ?? '',
    /** The same service under another address. */
    otherOrigin: servers[1]?.origin ?? '',
    demo,
    answer: (answerer: Answerer): void => void answerers.push(answerer),
    /** Answers every request whose path begins with `path`. */
    answerAt(path: string, answer: (request: HeardRequest, response: ServerResponse) => void): void {
      answerers.push((request, response) => {
        const isIts = request.path.startsWith(path);
        if (isIts) answer(request, response);
        return isIts;
      });
    },
    change: (changer: Changer): void => void changers.push(changer),
    /** Resets every connection, old and new, until `behave`. */
    refuse(): void {
      refuses = true;
      dropAll();
    },
    /** Ends every attack: the service is good again. */
    behave(): void {
      answerers = [];
      changers = [];
      heard = [];
      refuses = false;
      demo.setFaults({});
      demo.setNativeAds([]);
    },
    /** Requests since `behave`. */
    heard: (): readonly HeardRequest[] => heard,
    openConnections: (): number => sockets.size,
    async close(): Promise<void> {
      await Promise.all([...servers, demo].map((each) => each.close()));
    },
  };
}

/**
 * Forwards a request to the demo service and returns its answer whole and changed. A broken connection there
 * is broken here too.
 */
function forward(
  demo: DemoService,
  incoming: IncomingMessage,
  response: ServerResponse,
  change: (answer: WholeAnswer) => WholeAnswer,
): void {
  const upstream = http.request(
    {
      host: '127.0.0.1',
      port: demo.port,
      method: incoming.method,
      path: incoming.url,
      headers: incoming.headers,
    },
    (answered) => {
      const chunks: Buffer[] = [];
      // An answer that the demo service itself sends slowly or cuts off is passed on as it comes.
      if (demo.faults().media !== undefined || demo.faults().ads !== undefined) {
        response.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(response);
        answered.once('error', () => response.socket?.resetAndDestroy());
        return;
      }
      answered.on('data', (chunk: Buffer) => chunks.push(chunk));
      answered.once('error', () => response.socket?.resetAndDestroy());
      answered.once('end', () => {
        const { 'transfer-encoding': _chunked, 'content-length': _length, ...headers } = answered.headers;
        const answer = change({
          status: answered.statusCode ?? 502,
          headers,
          body: Buffer.concat(chunks),
        });
        for (const [name, value] of Object.entries(answer.headers))
          if (value !== undefined) response.setHeader(name, value);
        const declared = answered.headers['content-length'];
        // Answers to HEAD and answers without body keep the length that they declared.
        const length = answer.body.length > 0 ? String(answer.body.length) : declared;
        if (length !== undefined) response.setHeader('content-length', length);
        response.statusCode = answer.status;
        response.end(answer.body);
      });
    },
  );
  upstream.once('error', () => response.socket?.resetAndDestroy());
  response.once('close', () => upstream.destroy());
  incoming.pipe(upstream);
}
