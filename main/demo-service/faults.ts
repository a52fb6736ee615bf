import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import { plain } from '../../shared/plain';

/** The parts of the service that can fail on their own. */
export const RouteGroup = z.enum(['token', 'inventory', 'ads', 'native', 'media', 'collector', 'landing']);
export type RouteGroup = z.infer<typeof RouteGroup>;

/** Offsets of up to a hundred years: all dates that the service computes from them are valid. */
const MAX_CLOCK_OFFSET_SECONDS = 100 * 366 * 86_400;

const HeaderName = z.string().refine((name) => isAccepted(() => validateHeaderName(name)), {
  error: 'expected the name of an HTTP header',
});
const HeaderValue = z.string().refine((value) => isAccepted(() => validateHeaderValue('X', value)), {
  error: 'expected the value of an HTTP header: Latin-1 without line breaks',
});

function isAccepted(validate: () => void): boolean {
  try {
    validate();
    return true;
  } catch {
    return false;
  }
}

const common = {
  /** Applies to this number of matching requests; undefined: until it is switched off. */
  times: z.int().min(1).optional(),
  /** Only requests whose path and query contain this text. */
  match: z.string().min(1).optional(),
  /** Wait this long, in ms, before anything else. */
  delayMs: z.int().min(0).max(600_000).optional(),
};

/** A fault for a request; `kind` selects it. */
export const Fault = z.discriminatedUnion('kind', [
  /** The right answer, late: use with `delayMs`. */
  z.strictObject({ kind: z.literal('delay'), ...common }),
  /** Another status, with an optional body. `retryAfter` is in seconds, or a date as the header writes it. */
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(200).max(599),
    body: plain.text.optional(),
    contentType: HeaderValue.optional(),
    retryAfter: z.union([plain.count, HeaderValue]).optional(),
    headers: z.record(HeaderName, HeaderValue).optional(),
    ...common,
  }),
  /** The request is read, and nothing ever comes back. */
  z.strictObject({ kind: z.literal('hang'), ...common }),
  /**
   * Only the first bytes of the right answer, then the connection breaks. With `wellFormed` the declared
   * length matches instead, so that HTTP does not show the cut.
   */
  z.strictObject({
    kind: z.literal('truncate'),
    afterBytes: plain.count,
    wellFormed: plain.yesOrNo.optional(),
    ...common,
  }),
  /** The right headers over bytes that mean nothing. */
  z.strictObject({ kind: z.literal('garbage'), ...common }),
  /** Status 200 and a page, as a captive portal or a proxy answers. */
  z.strictObject({ kind: z.literal('html'), ...common }),
  /** TCP reset after the request was read. */
  z.strictObject({ kind: z.literal('reset'), ...common }),
  /** The right body under another content type. */
  z.strictObject({ kind: z.literal('content-type'), contentType: HeaderValue, ...common }),
  /** The right body followed by white space, streamed without a declared length, up to `bytes` in all. */
  z.strictObject({ kind: z.literal('oversize'), bytes: z.int().min(1).default(120_000_000), ...common }),
  /** The right answer, at this rate. */
  z.strictObject({ kind: z.literal('drip'), bytesPerSecond: z.int().min(1), ...common }),
]);
export type Fault = z.infer<typeof Fault>;

const FaultOrList = z.union([Fault, z.array(Fault)]);

/** All switches at once. For each group one fault or a list; of a list the first that fits is used. */
export const Faults = z.strictObject({
  token: FaultOrList.optional(),
  inventory: FaultOrList.optional(),
  ads: FaultOrList.optional(),
  native: FaultOrList.optional(),
  media: FaultOrList.optional(),
  collector: FaultOrList.optional(),
  landing: FaultOrList.optional(),
  /** Offset of the time in the answers from the real clock. Tokens expire by the real clock. */
  clockOffsetSeconds: z.number().min(-MAX_CLOCK_OFFSET_SECONDS).max(MAX_CLOCK_OFFSET_SECONDS).optional(),
  /** Answers carry no `Date`. */
  dateless: plain.yesOrNo.optional(),
  /** Adds an `Age` header, as a cache in between would. */
  ageSeconds: plain.count.optional(),
});
export type Faults = z.infer<typeof Faults>;
export type FaultsInput = z.input<typeof Faults>;

interface Loaded {
  readonly group: RouteGroup;
  readonly fault: Fault;
  left: number;
}

export function createFaultSwitches() {
  let faults: Faults = {};
  let loaded: Loaded[] = [];
  return {
    current(): Faults {
      const shown = { ...faults };
      for (const group of RouteGroup.options) {
        delete shown[group];
        const left = loaded.filter((one) => one.group === group && one.left > 0);
        if (left.length > 0) {
          shown[group] = left.map((one) =>
            one.left === Number.POSITIVE_INFINITY ? one.fault : { ...one.fault, times: one.left },
          );
        }
      }
      return shown;
    },
    set(input: FaultsInput): void {
      faults = Faults.parse(input);
      loaded = RouteGroup.options.flatMap((group) =>
        [faults[group] ?? []]
          .flat()
          .map((fault) => ({ group, fault, left: fault.times ?? Number.POSITIVE_INFINITY })),
      );
    },
    /** The fault for this request, which counts as one use; null: the request gets the right answer. */
    take(group: RouteGroup, target: string): Fault | null {
      const hit = loaded.find(
        (one) => one.group === group && one.left > 0 && target.includes(one.fault.match ?? ''),
      );
      if (hit === undefined) return null;
      hit.left -= 1;
      return hit.fault;
    },
    /** ms to add to the real clock to get the time the answers show. */
    clockOffsetMs: (): number => (faults.clockOffsetSeconds ?? 0) * 1000,
  };
}
