import { z } from 'zod';
import type { Context } from '../decisions/audience';
import { pathText } from '../settings/json-values';
import type { SignalKind } from './signal-kinds';

const MAX_PEOPLE = 50;
const MAX_GROUP_SIZE = 1000;
const MAX_CART_ENTRIES = 500;
const MAX_WEATHER_TYPES = 50;
const MAX_TEXT_LENGTH = 256;
const MAX_ACTIVATION_ID = 200;
/** No signal outlives a day: a sensor that fell silent must not steer ads for ever. */
const MAX_TTL_SECONDS = 86_400;
/** Times to live where a body gives none, in seconds. */
const DEFAULT_TTL_SECONDS: Readonly<Record<SignalKind, number>> = {
  shopper: 10,
  cart: 600,
  weather: 10_800,
};

const text = z.string().min(1).max(MAX_TEXT_LENGTH);

function ttlSeconds(kind: SignalKind) {
  return z
    .number()
    .positive()
    .max(MAX_TTL_SECONDS)
    .default(DEFAULT_TTL_SECONDS[kind])
    .describe('Seconds from receipt until the signal no longer counts.');
}

const Person = z.strictObject({
  ageRange: text
    .optional()
    .describe('AGE_RANGE_… as the service names it; other strings are kept. Left out: unknown.'),
  gender: text
    .default('GENDER_UNKNOWN')
    .describe('GENDER_… as the service names it; other strings are kept. Left out: GENDER_UNKNOWN.'),
});

/** Body of `PUT /v1/signals/shopper`. */
const ShopperBody = z
  .strictObject({
    people: z
      .array(Person)
      .max(MAX_PEOPLE)
      .default([])
      .describe('The people the sensor describes; it may count more than it describes.'),
    groupSize: z
      .int()
      .min(0)
      .max(MAX_GROUP_SIZE)
      .optional()
      .describe('People counted; never fewer than are listed. Left out: as many as are listed. 0: nobody.'),
    activationId: z
      .string()
      .min(1)
      .max(MAX_ACTIVATION_ID)
      .optional()
      .describe("The sensor's own name for this activation; onlineParams may pass it on."),
    ttlSeconds: ttlSeconds('shopper'),
  })
  .superRefine((body, context) => {
    if (body.groupSize !== undefined && body.groupSize < body.people.length) {
      context.addIssue({
        code: 'custom',
        path: ['groupSize'],
        message: 'Expected at least the number of people listed',
      });
    }
  })
  .transform(({ people, groupSize = people.length, activationId, ttlSeconds }) => {
    const value = {
      people: people.map(({ ageRange = null, gender }) => ({ ageRange, gender })),
      groupSize,
      ...(activationId === undefined ? {} : { activationId }),
    };
    return { kind: 'shopper' as const, value: groupSize === 0 ? null : value, ttlMs: ttlSeconds * 1000 };
  });

/** Body of `PUT /v1/signals/cart`. */
const CartBody = z
  .strictObject({
    skus: z.array(text).max(MAX_CART_ENTRIES).default([]).describe('SKUs in the cart, compared exactly.'),
    items: z
      .array(text)
      .max(MAX_CART_ENTRIES)
      .default([])
      .describe('Product names or categories in the cart, compared without regard to case.'),
    ttlSeconds: ttlSeconds('cart'),
  })
  .transform(({ ttlSeconds, ...value }) => ({ kind: 'cart' as const, value, ttlMs: ttlSeconds * 1000 }));

/** Body of `PUT /v1/signals/weather`. */
const WeatherBody = z
  .strictObject({
    types: z
      .array(text)
      .max(MAX_WEATHER_TYPES)
      .default([])
      .describe('WEATHER_TYPE_… as the service names them; other strings are kept.'),
    temperatureCelsius: z
      .number()
      .min(-90)
      .max(60)
      .optional()
      .describe('Above 20 adds WEATHER_TYPE_ABOVE_20_CELSIUS, below 10 WEATHER_TYPE_BELOW_10_CELSIUS.'),
    ttlSeconds: ttlSeconds('weather'),
  })
  .transform(({ types, temperatureCelsius, ttlSeconds }) => ({
    kind: 'weather' as const,
    value: {
      types: [...new Set([...types, ...temperatureTypes(temperatureCelsius)])],
      ...(temperatureCelsius === undefined ? {} : { temperatureCelsius }),
    },
    ttlMs: ttlSeconds * 1000,
  }));

/**
 * Each checks a signal and completes it for matching: a missing gender becomes `GENDER_UNKNOWN`, a missing group size
 * the number of people listed, a temperature its weather type (exactly 20.0 and 10.0 °C give none). An empty group means
 * that nobody is there.
 */
export const SIGNAL_BODIES = { shopper: ShopperBody, cart: CartBody, weather: WeatherBody } as const;

/** A checked signal: what it says (null: nobody is there) and how long it counts, in ms. */
export type Signal = z.infer<(typeof SIGNAL_BODIES)[SignalKind]>;

/** Checks the body of a signal. The message of an error names fields and expectations, never values. */
export function readSignal(kind: SignalKind, body: unknown) {
  const { data, error } = SIGNAL_BODIES[kind].safeParse(body);
  return error ? refused(error) : { ok: true as const, signal: data };
}

function temperatureTypes(celsius: number | undefined): string[] {
  if (celsius === undefined) return [];
  if (celsius > 20) return ['WEATHER_TYPE_ABOVE_20_CELSIUS'];
  if (celsius < 10) return ['WEATHER_TYPE_BELOW_10_CELSIUS'];
  return [];
}

const ContextDocument = z.strictObject({
  shopper: ShopperBody.nullish(),
  cart: CartBody.nullish(),
  weather: WeatherBody.nullish(),
});

/**
 * Reads `{ "shopper": …, "cart": …, "weather": … }`, each the body of its
 * signal, absent or null; times to live are checked and otherwise ignored.
 */
export function readContext(document: unknown) {
  const { data, error } = ContextDocument.safeParse(document);
  if (error) return { ok: false as const, message: refused(error).error.message };
  const { shopper, cart, weather } = data;
  const context: Context = {
    shopper: shopper?.value ?? null,
    cart: cart?.value ?? null,
    weather: weather?.value ?? null,
  };
  return { ok: true as const, context };
}

const MAX_NAMED = 5;
const MAX_NAME_LENGTH = 64;

function refused(error: z.core.$ZodError) {
  const sentences: string[] = [];
  let code: 'unknown-field' | 'invalid-signal' = 'invalid-signal';
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') {
      code = 'unknown-field';
      const at = pathText(issue.path);
      const names = issue.keys
        .slice(0, MAX_NAMED)
        .map((key) => JSON.stringify(key.slice(0, MAX_NAME_LENGTH)));
      const more = issue.keys.length > MAX_NAMED ? ` and ${issue.keys.length - MAX_NAMED} more` : '';
      sentences.push(`${at === '' ? '' : `${at}: `}unknown field ${names.join(', ')}${more}`);
    } else {
      const at = pathText(issue.path);
      sentences.push(`${at === '' ? 'body' : at}: ${issue.message}`);
    }
  }
  const shown = sentences.slice(0, MAX_NAMED);
  const more = sentences.length > MAX_NAMED ? [`${sentences.length - MAX_NAMED} more errors`] : [];
  return { ok: false as const, error: { code, message: [...shown, ...more].join('; ') } };
}
