import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { silentLog } from '../../shared/log';
import type { Play } from '../../shared/play';
import { exportLines } from '../records/exported-plays';
import { SIGNAL_BODIES } from '../signals/signal-bodies';
import { createSignals, type Signals } from '../signals/signals';
import { createMetrics } from '../status/metrics';
import { quarantineStatus } from '../status/read-status';
import type { Status } from '../status/status';
import { exampleStatus, shows } from '../status/testing/example-status';
import type { HealthChecks } from './answers';
import { createLocalApi, type LocalApi, type LocalApiParts } from './local-api';
import { openApiDocument } from './openapi';

type Json = Record<string, unknown>;

const play: Play = {
  id: 'p1',
  environment: 'e1',
  at: 1000,
  adId: 'ad-1',
  requestId: 'r1',
  flightId: 'f1',
  campaignId: null,
  source: 'SOURCE_TYPE_CMS',
  sourceId: 's1',
  mediaUrl: 'https://cdn.example/a.mp4',
  delivery: 'offline',
  durationMs: 10_000,
  outcome: 'completed',
  shownAt: 1001,
  viewedMs: 10_000,
  presentedFrames: 300,
  droppedFrames: 0,
  stalls: 0,
  endReason: 'ended',
};

let server: LocalApi;
/** The same with short deadlines. */
let hastyServer: LocalApi;
let folder: string;
let document: Json;
let monotonic = 0;
let health: () => HealthChecks | Promise<HealthChecks>;
let statusFails = false;
const seen = new Set<string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-openapi-'));
  const clock = { monotonic: () => monotonic };
  const signals = createSignals({ clock, schedule: () => () => {} });
  health = () => ({ window: 'answering', records: 'answering', video: 'advancing' });
  const parts: LocalApiParts = {
    port: 0,
    tokenFile: join(folder, 'signals-token'),
    tokenAccess: { group: null, mode: '0600' },
    portFile: join(folder, 'signals-port'),
    signals,
    status: () => {
      if (statusFails) throw new Error('a bug');
      return everything(signals.ages());
    },
    health: () => health(),
    metrics: createMetrics(),
    async *plays() {
      yield exportLines('ndjson', [{ play, beacons: null }]);
    },
    answered() {},
    version: '1.0.0',
    clock,
    log: silentLog,
    limits: {
      rate: { perSecond: 1, burst: 50 },
      answerMs: 30,
      connections: 4,
    },
  };
  server = await started(parts);
  const hasty = { ...parts.limits, headersTimeoutMs: 200, requestTimeoutMs: 300 };
  hastyServer = await started({ ...parts, portFile: join(folder, 'hasty-port'), limits: hasty });
  document = JSON.parse((await ask('GET', '/v1/openapi.json')).body);
});

async function started(parts: LocalApiParts): Promise<LocalApi> {
  const start = await createLocalApi(parts);
  if (!start.ok) throw new Error(start.problem);
  return start.server;
}

afterAll(async () => {
  await server.close();
  await hastyServer.close();
  await rm(folder, { recursive: true, force: true });
});

const portOf = ({ url }: LocalApi) => Number(new URL(url).port);

/** A status with every part filled, so that all of the schema is checked. */
function everything(signals: ReturnType<Signals['ages']>): Status {
  const ids = { adId: 'ad-1', flightId: 'f1', campaignId: null, sourceId: 's1' };
  const ad = {
    delivery: 'offline',
    ...ids,
    mediaUrl: 'https://cdn.example/a.mp4?…',
    durationMs: 10_000,
  } as const;
  const problem = {
    code: 'unreachable',
    message: 'The service does not answer.',
    advice: 'Check the network.',
  };
  const rejected = [{ id: null, code: 'malformed-ad', detail: 'no linear creative' }];
  return exampleStatus(
    2000,
    [
      shows('offline', { ...ad, at: 1000 }),
      { kind: 'next', showing: { ...ad, at: null }, files: [] },
      { kind: 'service-succeeded', operation: 'ads' },
      { kind: 'service-failed', operation: 'native', problem },
      { kind: 'attention', code: problem.code, problem },
      { kind: 'no-fill' },
      { kind: 'settled', play, drawn: [] },
      { kind: 'playlist', rejected },
      {
        kind: 'section',
        name: 'settings',
        value: { file: '/etc/endcap/config.json', delivery: 'auto', problems: [], remote: null },
      },
      { kind: 'section', name: 'signalsServer', value: { url: 'http://127.0.0.1:1', problem: null } },
      { kind: 'section', name: 'kiosk', value: { id: 'k', publicKey: 'p' } },
    ],
    {
      signals,
      playlistAt: 1000,
      token: { ageMs: 1, expiresAt: 5000, expiresInMs: 3000 },
      upcoming: [{ ...ad, at: 11_000 }],
      books: {
        environment: 'e1',
        plays: 3,
        unsettledAtStart: 1,
        lost: { plays: 0 },
        restoredFrom: null,
        lastPlayAt: 1000,
      },
      quarantine: quarantineStatus({
        all: () => [
          { sha256: 'ab', name: 'https://cdn.example/a?key=hush', cause: 'hang', since: 0, until: 1 },
        ],
      }),
      native: {
        held: 1,
        reachable: true,
        lastResult: 'ads',
        ads: [{ instance: 'i', campaignId: null, revenueModel: 'CPM', payout: '1 USD' }],
      },
      egress: { proxy: 'http://proxy.store:3128', uncheckedHosts: 2, additionalCas: 1 },
    },
  );
}

interface Heard {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

function ask(
  method: string,
  path: string,
  body?: string | Buffer,
  more: Record<string, string> = {},
): Promise<Heard> {
  const headers: Record<string, string> = { authorization: `Bearer ${server.token}`, ...more };
  if (body !== undefined) headers['content-type'] ??= 'application/json';
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port: portOf(server),
      path,
      method,
      headers,
      agent: false,
    });
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          type: (response.headers['content-type'] ?? '').split(';')[0] ?? '',
          body: text,
        }),
      );
    });
    request.end(body);
  });
}

/** Sends bytes as they are and reads the first answer. */
function say(bytes: string, to = server): Promise<Heard> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: portOf(to) });
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n', 2);
      const type = /content-type: ([^;\r]*)/i.exec(head)?.[1] ?? '';
      resolve({ status: Number(head.split(' ')[1]), type, body });
    });
    if (bytes !== '') socket.write(bytes);
  });
}

/** The answer to the oldest of five connections where four are allowed. */
async function sayInACrowd(): Promise<Heard> {
  const oldest = say('');
  await Promise.race([oldest, ...Array.from({ length: 4 }, () => say(''))]);
  return oldest;
}

function at(value: unknown, ...path: string[]): unknown {
  let here = value;
  for (const part of path) {
    here = typeof here === 'object' && here !== null ? (here as Json)[part] : undefined;
  }
  return here;
}

/** A validator for the served schema, with its references resolved. `knownOnly`: what these lead to has no other fields. */
function checkerOf(schema: unknown, { knownOnly }: { readonly knownOnly: boolean }): z.ZodType {
  const filled = (node: unknown, isClosed: boolean): unknown => {
    if (Array.isArray(node)) return node.map((each) => filled(each, isClosed));
    if (typeof node !== 'object' || node === null) return node;
    const reference = (node as Json).$ref;
    if (typeof reference === 'string')
      return filled(at(document, ...reference.slice(2).split('/')), knownOnly);
    const values = Object.entries(node).map(([key, value]) => [key, filled(value, isClosed)]);
    return Object.fromEntries(
      isClosed && 'properties' in node ? [['additionalProperties', false], ...values] : values,
    );
  };
  return z.fromJSONSchema(filled(schema, false) as Parameters<typeof z.fromJSONSchema>[0]);
}

/** Checks an answer against the document's description for that path, method and status. */
function hold(method: string, path: string, heard: Heard): void {
  const name = path.split('?')[0] ?? '';
  const described = at(document, 'paths', name, method.toLowerCase(), 'responses', String(heard.status));
  expect(described, `${method} ${name} ${heard.status}`).toBeDefined();
  seen.add(`${method} ${name} ${heard.status}`);
  const content = at(described, 'content');
  if (content === undefined) {
    expect(heard.body).toBe('');
    return;
  }
  const schema = at(content, heard.type, 'schema');
  expect(schema, `${method} ${name} ${heard.status} ${heard.type}`).toBeDefined();
  const value = heard.type === 'application/json' ? JSON.parse(heard.body) : heard.body;
  const answer = { knownOnly: true };
  expect(checkerOf(schema, answer).safeParse(value).error?.issues).toBeUndefined();
  const line = at(schema, 'contentSchema');
  if (line === undefined) return;
  const lines = heard.body.split('\n').filter((text) => text !== '');
  expect(lines.length).toBeGreaterThan(0);
  for (const text of lines)
    expect(checkerOf(line, answer).safeParse(JSON.parse(text)).error?.issues).toBeUndefined();
}

const bodies: Record<string, string> = {
  '/v1/signals/shopper': '{"people":[{"gender":"GENDER_MALE"}],"groupSize":2,"ttlSeconds":10}',
  '/v1/signals/cart': '{"skus":["1"],"items":["milk"],"ttlSeconds":600}',
  '/v1/signals/weather': '{"types":["WEATHER_TYPE_SUNNY"],"temperatureCelsius":24.5,"ttlSeconds":10800}',
};
const gets = ['/healthz', '/metrics', '/v1/openapi.json', '/v1/plays', '/v1/status'];

// Its last test looks at what the others compared.
describe('the OpenAPI document', { shuffle: false }, () => {
  it('is built from the schemas, and names every path', () => {
    const built = openApiDocument('1.0.0', portOf(server), 65_536);
    expect(document).toEqual(JSON.parse(JSON.stringify(built)));
    expect(Object.keys(document.paths as Json).sort()).toEqual([...Object.keys(bodies), ...gets].sort());
  });

  it('has no reference that leads nowhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(
      (match) => match[1] ?? '',
    );
    expect(references.length).toBeGreaterThan(0);
    for (const reference of references) expect(at(document, ...reference.slice(2).split('/'))).toBeDefined();
  });

  it('says what each word for the state of the kiosk means', () => {
    const state = at(document, 'components', 'schemas', 'Status', 'properties', 'state');
    const { enum: words, description } = z
      .object({ enum: z.array(z.string()), description: z.string() })
      .parse(state);
    for (const word of words) expect(description).toContain(`\`${word}\`: `);
  });

  it('describes the same bodies that the server accepts', () => {
    for (const [path, body] of Object.entries(bodies)) {
      const schema = at(
        document,
        'paths',
        path,
        'put',
        'requestBody',
        'content',
        'application/json',
        'schema',
      );
      const checker = checkerOf(schema, { knownOnly: false });
      const kind = path.split('/').at(-1) as keyof typeof SIGNAL_BODIES;
      for (const candidate of [
        JSON.parse(body),
        {},
        { ttlSeconds: 0 },
        { ttlSeconds: 86_401 },
        { unknown: 1 },
        { people: [{ age: 3 }] },
        { skus: [''] },
        { temperatureCelsius: 61 },
        [],
      ]) {
        const real = SIGNAL_BODIES[kind].safeParse(candidate).success;
        expect(checker.safeParse(candidate).success, `${path} ${JSON.stringify(candidate)}`).toBe(real);
      }
    }
  });

  it('allows fields of later versions in answers, and none in signals', () => {
    const schemas = Object.entries(at(document, 'components', 'schemas') as Json);
    // The second: names of the fields of a record.
    const isClosed = /"additionalProperties":false|"propertyNames":{[^}]*"enum"/;
    const closed = schemas.filter(([, schema]) => isClosed.test(JSON.stringify(schema)));
    expect(closed.map(([name]) => name)).toEqual(['ShopperSignal', 'CartSignal', 'WeatherSignal']);
  });

  it('describes what every path answers when all is well', async () => {
    for (const path of gets) hold('GET', path, await ask('GET', path));
    for (const [path, body] of Object.entries(bodies)) {
      hold('PUT', path, await ask('PUT', path, body));
      hold('GET', '/v1/status', await ask('GET', '/v1/status'));
      hold('DELETE', path, await ask('DELETE', path));
    }
    monotonic += 100_000;
  });

  it('describes what every path answers when it refuses', async () => {
    const [path = '', body = ''] = Object.entries(bodies)[1] ?? [];
    const wrongs: Array<[string | Buffer, Record<string, string>, number]> = [
      [body, { authorization: 'Bearer x' }, 401],
      [body, { host: 'evil.example' }, 421],
      [body, { origin: 'https://evil.example' }, 403],
      [body, { 'content-type': 'text/plain' }, 415],
      [Buffer.from([0xff]), {}, 400],
      ['{', {}, 400],
      ['['.repeat(9), {}, 400],
      ['{"a":1}', {}, 400],
      ['{"skus":1}', {}, 400],
      [' '.repeat(70_000), {}, 413],
    ];
    for (const [sent, headers, status] of wrongs) {
      const heard = await ask('PUT', path, sent, headers);
      expect(heard.status).toBe(status);
      hold('PUT', path, heard);
    }
    for (const get of gets.filter((name) => name !== '/healthz')) {
      const heard = await ask('GET', get, undefined, { authorization: 'Bearer x' });
      expect(heard.status).toBe(401);
      hold('GET', get, heard);
    }
    const query = await ask('GET', '/v1/plays?from=0');
    expect(query.status).toBe(400);
    hold('GET', '/v1/plays', query);
    monotonic += 100_000;
  });

  it('describes answers to failures, timeouts and floods', async () => {
    health = () => ({ window: 'silent', records: 'starting', video: 'stalled' });
    const failing = await ask('GET', '/healthz');
    expect(failing.status).toBe(503);
    hold('GET', '/healthz', failing);
    health = () => new Promise(() => {});
    const late = await ask('GET', '/healthz');
    expect(JSON.parse(late.body).error.code).toBe('unavailable');
    hold('GET', '/healthz', late);
    statusFails = true;
    const broken = await ask('GET', '/v1/status');
    expect(broken.status).toBe(500);
    hold('GET', '/v1/status', broken);
    statusFails = false;
    let flooded = await ask('GET', '/v1/status');
    for (let i = 0; i < 60 && flooded.status === 200; i += 1) flooded = await ask('GET', '/v1/status');
    expect(flooded.status).toBe(429);
    hold('GET', '/v1/status', flooded);
    monotonic += 100_000;
  });

  it('describes the errors that a connection gets before its path is known', async () => {
    const spoken: Array<[Heard, number]> = [
      [await say('hello\r\n\r\n'), 400],
      [await say('', hastyServer), 408],
      [await say(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`), 431],
      [await sayInACrowd(), 503],
    ];
    for (const [heard, status] of spoken) {
      expect(heard.status).toBe(status);
      hold('GET', '/v1/status', heard);
    }
  });

  it('was compared with real answers of every path and method', () => {
    const described = Object.entries(document.paths as Json).flatMap(([path, methods]) =>
      Object.keys(methods as Json).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const held = new Set([...seen].map((entry) => entry.split(' ').slice(0, 2).join(' ')));
    expect([...held].sort()).toEqual(described.sort());
  });
});
