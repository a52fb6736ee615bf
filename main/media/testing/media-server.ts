import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from '../../../tools/fleet/loopback-ports';

export interface ServedFile {
  body: Buffer;
  /** Null: the server sends none. */
  etag: string | null;
  lastModified: string | null;
}

/** A received request, without the headers that all requests have. */
export interface Asked {
  readonly path: string;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
  readonly acceptEncoding: string | undefined;
}

export interface MediaServer {
  readonly origin: string;
  readonly asked: readonly Asked[];
  /** Serves a file, with an ETag of its content unless `validators` has another. */
  put(path: string, body: Buffer, validators?: Partial<ServedFile>): void;
  remove(path: string): void;
  /** If set, it answers all requests; `serve` gives the normal answer. */
  instead: ((request: IncomingMessage, response: ServerResponse, serve: () => void) => void) | null;
  close(): Promise<void>;
}

/** A real media server on a free loopback port: ETags, conditional requests, single byte ranges, `If-Range`. */
export async function startMediaServer(): Promise<MediaServer> {
  const files = new Map<string, ServedFile>();
  const asked: Asked[] = [];

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const file = files.get(request.url ?? '');
    if (!file) {
      response.writeHead(404).end();
      return;
    }
    const { body, etag, lastModified } = file;
    if (etag !== null) response.setHeader('etag', etag);
    if (lastModified !== null) response.setHeader('last-modified', lastModified);
    const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers;
    const ifModifiedSince = request.headers['if-modified-since'];
    if (etag === null ? lastModified === ifModifiedSince : ifNoneMatch === etag) {
      response.writeHead(304).end();
      return;
    }
    const first = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? Number.NaN);
    if (Number.isNaN(first) || (ifRange !== etag && ifRange !== lastModified)) {
      response.writeHead(200, { 'content-length': body.length }).end(body);
    } else if (first >= body.length) {
      response.writeHead(416, { 'content-range': `bytes */${body.length}` }).end();
    } else {
      response.writeHead(206, {
        'content-range': `bytes ${first}-${body.length - 1}/${body.length}`,
        'content-length': body.length - first,
      });
      response.end(body.subarray(first));
    }
  }

  const server = createServer((request, response) => {
    const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers;
    const { 'if-modified-since': ifModifiedSince } = request.headers;
    const acceptEncoding = request.headers['accept-encoding']?.toString();
    const one = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
    const conditions = { range, ifRange: one(ifRange), ifNoneMatch, ifModifiedSince };
    asked.push({ path: request.url ?? '', ...conditions, acceptEncoding });
    if (self.instead) self.instead(request, response, () => serve(request, response));
    else serve(request, response);
  });
  const { port, [Symbol.asyncDispose]: close } = await listening(server);
  const self: MediaServer = {
    origin: `http://127.0.0.1:${port}`,
    asked,
    put(path, body, validators = {}) {
      const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
      files.set(path, { body, etag, lastModified: null, ...validators });
    },
    remove: (path) => void files.delete(path),
    instead: null,
    close,
  };
  return self;
}
