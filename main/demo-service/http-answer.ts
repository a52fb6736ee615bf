import type { IncomingHttpHeaders } from 'node:http';

/** A request, read completely. Endpoints take this value and return an {@link Answer}; they do no I/O. */
export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Path and query exactly as they came over the wire. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The answer of an endpoint. `deliver` adds `Date` and `Content-Length`. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const NOTHING = Buffer.alloc(0);

export function jsonAnswer(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: Buffer.from(JSON.stringify(value)),
  };
}

export function textAnswer(
  status: number,
  contentType: string,
  text: string,
  headers: Record<string, string> = {},
): Answer {
  return { status, headers: { 'Content-Type': contentType, ...headers }, body: Buffer.from(text) };
}

export function bareAnswer(status: number, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: NOTHING };
}

export function methodNotAllowed(allow: string): Answer {
  return jsonAnswer(405, { error: `use ${allow}` }, { Allow: allow });
}

/** A header that may be sent once; a repeated one is read as absent. */
export function header(request: ServiceRequest, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
}

/** The query as a plain object; a repeated name becomes a list, in order. */
export function queryObject(query: URLSearchParams): Record<string, string | string[]> {
  const entries = [...new Set(query.keys())].map((name): [string, string | string[]] => {
    const all = query.getAll(name);
    const [only] = all;
    return [name, all.length === 1 && only !== undefined ? only : all];
  });
  return Object.fromEntries(entries);
}

/** The gRPC codes the service answers with, and the HTTP status its gateway maps each to. */
const CODES = {
  'invalid-argument': { code: 3, status: 400 },
  'not-found': { code: 5, status: 404 },
  'permission-denied': { code: 7, status: 403 },
  unauthenticated: { code: 16, status: 401 },
} as const;

/** An error as a gRPC gateway writes it: `{ code, message, details }`. */
export function rpcError(kind: keyof typeof CODES, message: string): Answer {
  const { code, status } = CODES[kind];
  return jsonAnswer(status, { code, message, details: [] });
}
