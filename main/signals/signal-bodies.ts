import { z } from 'zod';
import type { Context } from '../decisions/audience';
import { pathText } from '../settings/json-values';

/** The kinds of signals that the kiosk receives about the moment. */
export const SIGNAL_KINDS = ['shopper', 'cart', 'weather'] as const;
export type SignalKind = (typeof SIGNAL_KINDS)[number];

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
  });

/** Body of `PUT /v1/signals/cart`. */
const CartBody = z.strictObject({
  skus: z.array(text).max(MAX_CART_ENTRIES).default([]).describe('SKUs in the cart, compared exactly.'),
  items: z
    .array(text)
    .max(MAX_CART_ENTRIES)
    .default([])
    .describe('Product names or categories in the cart, compared without regard to case.'),
  ttlSeconds: ttlSeconds('cart'),
});

/** Body of `PUT /v1/signals/weather`. */
const WeatherBody = z.strictObject({
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
});

export const SIGNAL_BODIES = { shopper: ShopperBody, cart: CartBody, weather: WeatherBody } as const;

/** A checked signal: what it says (null: nobody is there) and how long it counts, in ms. */
export type Signal =
  | { readonly kind: 'shopper'; readonly value: Context['shopper']; readonly ttlMs: number }
  | { readonly kind: 'cart'; readonly value: NonNullable<Context['cart']>; readonly ttlMs: number }
  | { readonly kind: 'weather'; readonly value: NonNullable<Context['weather']>; readonly ttlMs: number };

/** Why a body was rejected. `message` names fields and expectations, never values. */
export interface SignalError {
  readonly code: 'unknown-field' | 'invalid-signal';
  readonly message: string;
}

export type SignalReading =
  | { readonly ok: true; readonly signal: Signal }
  | { readonly ok: false; readonly error: SignalError };

/**
 * Checks the body of a signal and completes it for matching: a missing gender becomes `GENDER_UNKNOWN`, a missing group
 * size the number of people listed, a temperature its weather type (exactly 20.0 and 10.0 °C give none). An empty group
 * means that nobody is there.
 */
export function readSignal(kind: SignalKind, body: unknown): SignalReading {
  switch (kind) {
    case 'shopper': {
      const parsed = ShopperBody.safeParse(body);
      if (!parsed.success) return refused(parsed.error);
      const { people, groupSize = people.length, activationId, ttlSeconds } = parsed.data;
      const value =
        groupSize === 0
          ? null
          : {
              people: people.map(({ ageRange, gender }) => ({ ageRange: ageRange ?? null, gender })),
              groupSize,
              ...(activationId === undefined ? {} : { activationId }),
            };
      return { ok: true, signal: { kind, value, ttlMs: ttlSeconds * 1000 } };
    }
    case 'cart': {
      const parsed = CartBody.safeParse(body);
      if (!parsed.success) return refused(parsed.error);
      const { skus, items, ttlSeconds } = parsed.data;
      return { ok: true, signal: { kind, value: { skus, items }, ttlMs: ttlSeconds * 1000 } };
    }
    case 'weather': {
      const parsed = WeatherBody.safeParse(body);
      if (!parsed.success) return refused(parsed.error);
      const { types, temperatureCelsius, ttlSeconds } = parsed.data;
      const all = [...types, ...temperatureTypes(temperatureCelsius)];
      const value = {
        types: [...new Set(all)],
        ...(temperatureCelsius === undefined ? {} : { temperatureCelsius }),
      };
      return { ok: true, signal: { kind, value, ttlMs: ttlSeconds * 1000 } };
    }
  }
}

function temperatureTypes(celsius: number | undefined): string[] {
  if (celsius === undefined) return [];
  if (celsius > 20) return ['WEATHER_TYPE_ABOVE_20_CELSIUS'];
  if (celsius < 10) return ['WEATHER_TYPE_BELOW_10_CELSIUS'];
  return [];
}

export type ContextReading =
  | { readonly ok: true; readonly context: Context }
  | { readonly ok: false; readonly message: string };

const ContextDocument = z.strictObject({
  shopper: z.unknown().optional(),
  cart: z.unknown().optional(),
  weather: z.unknown().optional(),
});

/**
 * Reads `{ "shopper": …, "cart": …, "weather": … }`, each the body of its
 * signal, absent or null; times to live are checked and otherwise ignored.
 */
export function readContext(document: unknown): ContextReading {
  const parsed = ContextDocument.safeParse(document);
  if (!parsed.success) return { ok: false, message: refused(parsed.error).error.message };
  let context: Context = { shopper: null, cart: null, weather: null };
  for (const kind of SIGNAL_KINDS) {
    const body = parsed.data[kind];
    if (body === undefined || body === null) continue;
    const reading = readSignal(kind, body);
    if (!reading.ok) return { ok: false, message: `${kind}: ${reading.error.message}` };
    context = { ...context, [kind]: reading.signal.value };
  }
  return { ok: true, context };
}

const MAX_NAMED = 5;
const MAX_NAME_LENGTH = 64;

function refused(error: z.core.$ZodError): { readonly ok: false; readonly error: SignalError } {
  const sentences: string[] = [];
  let code: SignalError['code'] = 'invalid-signal';
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
  return { ok: false, error: { code, message: [...shown, ...more].join('; ') } };
}
