import { z } from 'zod';
import { SIGNAL_BODIES } from '../signals/signal-bodies';
import { SIGNAL_KINDS } from '../signals/signal-kinds';
import { StatusJson } from '../status/status';
import { Health, PlayLine, PlaysQuery, REFUSALS, Refusal, type RefusalCode } from './answers';

type Json = Readonly<Record<string, unknown>>;

/** Errors that any path may return. */
const ANYWHERE: readonly RefusalCode[] = [
  'bad-request',
  'wrong-host',
  'cross-site',
  'rate-limited',
  'timeout',
  'body-too-large',
  'expectation-failed',
  'headers-too-large',
  'too-many-connections',
  'method-not-allowed',
  'internal',
];
const OF_A_BODY: readonly RefusalCode[] = [
  'not-utf-8',
  'not-json',
  'too-deep',
  'unknown-field',
  'invalid-signal',
  'unsupported-media-type',
];

/** The OpenAPI 3.1 description of the local API, made from the schemas that check it. */
export function openApiDocument(version: string, port: number, bodyBytes: number): Json {
  const paths = {
    ...Object.assign({}, ...SIGNAL_KINDS.map((kind) => signalPath(kind, bodyBytes))),
    ...READING_PATHS,
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Endcap local API',
      version,
      description:
        'What sensors and tills tell the kiosk, and what the kiosk tells operators. Loopback only: address it as 127.0.0.1. ' +
        'The port is in the data folder in `signals-port`, the token in `signals-token`. Web pages are refused. ' +
        'Every error has a code and a message. Later versions may add fields to answers.',
    },
    servers: [{ url: `http://127.0.0.1:${port}` }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: {
        ShopperSignal: schemaOf(SIGNAL_BODIES.shopper, 'input'),
        CartSignal: schemaOf(SIGNAL_BODIES.cart, 'input'),
        WeatherSignal: schemaOf(SIGNAL_BODIES.weather, 'input'),
        Status: schemaOf(StatusJson, 'output'),
        Health: schemaOf(Health, 'output'),
        Refusal: schemaOf(Refusal, 'output'),
        PlayLine: schemaOf(PlayLine, 'output'),
      },
    },
  };
}

function schemaOf(schema: z.core.$ZodType, io: 'input' | 'output'): Json {
  // It is the dialect that OpenAPI 3.1 uses by default.
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      if (io === 'input') return;
      // zod closes the objects of outputs, but a client that was made from this document has to read later versions.
      delete jsonSchema.propertyNames;
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return rest;
}

function reference(schema: string): Json {
  return { $ref: `#/components/schemas/${schema}` };
}

function answer(description: string, schema: Json, type = 'application/json'): Json {
  return { description, content: { [type]: { schema } } };
}

/** The errors of a path by status, each with its possible codes. */
function refusals(codes: readonly RefusalCode[]): Record<string, Json> {
  const words = new Map<number, RefusalCode[]>();
  for (const code of [...ANYWHERE, ...codes]) {
    words.set(REFUSALS[code], [...(words.get(REFUSALS[code]) ?? []), code]);
  }
  return Object.fromEntries(
    [...words].map(([status, list]) => [
      String(status),
      answer(`Refused: ${list.join(', ')}.`, reference('Refusal')),
    ]),
  );
}

function signalPath(kind: (typeof SIGNAL_KINDS)[number], bodyBytes: number): Record<string, Json> {
  const schema = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Signal`;
  return {
    [`/v1/signals/${kind}`]: {
      put: {
        operationId: `put${schema}`,
        summary: `Replaces what is known of the ${kind}.`,
        requestBody: {
          required: true,
          description: `At most ${bodyBytes} bytes of UTF-8. Unknown fields are refused.`,
          content: { 'application/json': { schema: reference(schema) } },
        },
        responses: {
          204: { description: 'It counts from now on.' },
          ...refusals(['unauthorized', ...OF_A_BODY]),
        },
      },
      delete: {
        operationId: `delete${schema}`,
        summary: `Forgets the ${kind}.`,
        responses: { 204: { description: 'It no longer counts.' }, ...refusals(['unauthorized']) },
      },
    },
  };
}

/** A path that is only read, with the token. */
function reading(
  operationId: string,
  summary: string,
  success: Json,
  codes: readonly RefusalCode[],
  parameters: { readonly parameters?: readonly Json[] } = {},
): Json {
  const responses = { 200: success, ...refusals(['unauthorized', ...codes]) };
  return { get: { operationId, summary, ...parameters, responses } };
}

const READING_PATHS: Readonly<Record<string, Json>> = {
  '/v1/status': reading(
    'getStatus',
    'What the player does, and what it waits for.',
    answer('The status.', reference('Status')),
    ['unavailable'],
  ),
  '/healthz': {
    get: {
      operationId: 'getHealth',
      summary: 'Whether the player is alive. Needs no token.',
      security: [],
      responses: {
        ...refusals([]),
        200: answer('Healthy.', reference('Health')),
        503: answer('Unhealthy, or unknown.', { anyOf: [reference('Health'), reference('Refusal')] }),
      },
    },
  },
  '/metrics': reading(
    'getMetrics',
    'The player in numbers, for Prometheus.',
    answer('Prometheus text format.', { type: 'string' }, 'text/plain'),
    ['unavailable'],
  ),
  '/v1/openapi.json': reading(
    'getOpenApi',
    'This document.',
    answer('OpenAPI 3.1.', {
      type: 'object',
      properties: { openapi: { type: 'string' } },
      required: ['openapi', 'info', 'paths'],
    }),
    [],
  ),
  '/v1/plays': reading(
    'getPlays',
    'Proof of play.',
    answer(
      'Plays, oldest first, one JSON object a line; as an export holds them.',
      {
        type: 'string',
        contentMediaType: 'application/x-ndjson',
        contentSchema: reference('PlayLine'),
      },
      'application/x-ndjson',
    ),
    ['invalid-query', 'unavailable'],
    {
      parameters: Object.entries(z.toJSONSchema(PlaysQuery).properties ?? {}).map(([name, schema]) => ({
        name,
        in: 'query',
        required: false,
        schema,
      })),
    },
  ),
};
