import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../shared/clock';
import { carriesToken, checkOrigin } from './access';
import { type Answer, CLOSE, refuse } from './answers';
import type { Connection } from './connections';
import { type Bucket, fullBucket, takeOne } from './rate-limit';
import { allowed, type Route } from './routes';
import type { SignalsServerLimits } from './server-limits';

type Caller = 'token' | 'health' | 'refused';

/** Who may ask what, and how often. */
export class Admission {
  readonly #token: string;
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #limits: Pick<SignalsServerLimits, 'rate' | 'pipelined'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #buckets = new Map<Caller, Bucket>();

  constructor(
    token: string,
    routes: ReadonlyMap<string, Route>,
    limits: Pick<SignalsServerLimits, 'rate' | 'pipelined'>,
    clock: Pick<Clock, 'monotonic'>,
  ) {
    this.#token = token;
    this.#routes = routes;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** The refusal a request earns by its head alone, or null. */
  judge(request: IncomingMessage, connection: Connection, path: string, port: number): Answer | null {
    const fault = checkOrigin(
      {
        hosts: rawValues(request, 'host'),
        origin: request.headers.origin,
        secFetchSite: oneValue(request.headers['sec-fetch-site']),
      },
      port,
    );
    const trusted = fault === null && carriesToken(request.headers.authorization, this.#token);
    if (trusted) connection.trusted = true;
    const open = path === '/healthz';

    const waitMs = this.#waitFor(trusted ? 'token' : fault === null && open ? 'health' : 'refused');
    if (waitMs > 0) {
      return refuse('rate-limited', 'Too many requests.', {
        'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))),
        ...(trusted ? {} : CLOSE),
      });
    }
    if (connection.pending > this.#limits.pipelined) {
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
    const route = this.#routes.get(path);
    if (route === undefined) return refuse('not-found', 'There is nothing at this path.');
    if (!allowed(route).includes(request.method ?? '')) {
      const allow = allowed(route).join(', ');
      return refuse('method-not-allowed', `Expected one of ${allow}.`, { Allow: allow });
    }
    if (request.method === 'PUT') return judgeContent(request);
    return null;
  }

  #waitFor(caller: Caller): number {
    const now = this.#clock.monotonic();
    const taken = takeOne(
      this.#buckets.get(caller) ?? fullBucket(this.#limits.rate, now),
      this.#limits.rate,
      now,
    );
    this.#buckets.set(caller, taken.bucket);
    return taken.waitMs;
  }
}

function judgeContent(request: IncomingMessage): Answer | null {
  const [type = '', ...attributes] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = attributes.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  const plain = request.headers['content-encoding'] === undefined;
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type.trim() === 'application/json' && utf8 && plain) return null;
  return refuse('unsupported-media-type', 'Expected Content-Type: application/json in UTF-8, not encoded.');
}

function rawValues(request: IncomingMessage, name: string): string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter((_value, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}

function oneValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
