import { z } from 'zod';
import { plain } from '../../shared/plain';
import { Play } from '../../shared/play';

/** Every error code, with its HTTP status. */
export const REFUSALS = {
  'bad-request': 400,
  'not-utf-8': 400,
  'not-json': 400,
  'too-deep': 400,
  'unknown-field': 400,
  'invalid-signal': 400,
  'invalid-query': 400,
  unauthorized: 401,
  'cross-site': 403,
  'not-found': 404,
  'method-not-allowed': 405,
  timeout: 408,
  'body-too-large': 413,
  'unsupported-media-type': 415,
  'expectation-failed': 417,
  'wrong-host': 421,
  'rate-limited': 429,
  'headers-too-large': 431,
  internal: 500,
  'too-many-connections': 503,
  unavailable: 503,
} as const;

export type RefusalCode = keyof typeof REFUSALS;
const refusalCodes = Object.keys(REFUSALS) as [RefusalCode, ...RefusalCode[]];

/** Body of every answer that is a refusal. */
export const Refusal = z.object({
  error: z.object({
    code: z.enum(refusalCodes).describe('Error code, for programs.'),
    message: z.string().describe('A sentence to read.'),
  }),
});

/** Query of `GET /v1/plays`. */
export const PlaysQuery = z.strictObject({
  from: z.iso.datetime({ offset: true }).optional().describe('Plays at or after it; left out: all.'),
  to: z.iso.datetime({ offset: true }).optional().describe('Plays before it; left out: all up to now.'),
});

/** The fields of a line of `GET /v1/plays` that the API guarantees; an export has the same lines. */
export const PlayLine = z.looseObject({
  id: plain.text,
  at: z.iso.datetime().describe('When it was counted.'),
  shownAt: z.iso.datetime().nullable().describe('When its first frame was on the screen.'),
  outcome: Play.shape.outcome.describe('`given-back`: void. All others count; `reserved` has not ended yet.'),
  viewedMs: Play.shape.viewedMs,
  adId: plain.text,
  flightId: plain.textOrNull,
  campaignId: plain.textOrNull,
  sourceId: plain.textOrNull,
  environment: z.string().describe('Of which service, project and player.'),
});

/** The state of each part that must work for the kiosk to be healthy. */
export const HealthChecks = z.object({
  window: z
    .enum(['answering', 'starting', 'silent'])
    .describe(
      "The kiosk window's heartbeat; `answering` is healthy. It need not report while it is hidden or its display is off.",
    ),
  records: z.enum(['answering', 'starting', 'silent']).describe('The books; `answering` is healthy.'),
  video: z
    .enum(['advancing', 'none', 'stalled'])
    .describe('Frames of the visible video; only `stalled` is unhealthy, `none` is an image or a card.'),
});
export type HealthChecks = z.infer<typeof HealthChecks>;

/** Body of `GET /healthz`. */
export const Health = z.object({ status: z.enum(['ok', 'failing']), checks: HealthChecks });
export type Health = z.infer<typeof Health>;

/** Healthy while the kiosk window and the records answer and a visible video's frames advance. */
export function judgeHealth(checks: HealthChecks): Health {
  const ok = checks.window === 'answering' && checks.records === 'answering' && checks.video !== 'stalled';
  return { status: ok ? 'ok' : 'failing', checks };
}

export interface Answer {
  readonly status: number;
  /** The code of an error; null for a success. */
  readonly refusal: RefusalCode | null;
  readonly type: string;
  readonly body: string;
  /** Pieces that follow the body; their total length is not known in advance. */
  readonly rest?: AsyncGenerator<string, void>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Status 200, with a body of this content type. */
export function success(type: string, body: string): Answer {
  return { status: 200, refusal: null, type, body, headers: {} };
}

export function json(status: number, value: unknown): Answer {
  return { ...success('application/json; charset=utf-8', JSON.stringify(value)), status };
}

export const noContent: Answer = { status: 204, refusal: null, type: '', body: '', headers: {} };

/** Closes the connection after an answer. */
export const CLOSE: Readonly<Record<string, string>> = { Connection: 'close' };

export function refuse(
  code: RefusalCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { ...json(REFUSALS[code], { error: { code, message } }), refusal: code, headers };
}

/** No answer is a page, and none may be cached, or read by a page. */
const ALWAYS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** The headers of `answer`, lengths in bytes. */
export function headersOf(answer: Answer): Record<string, string> {
  const content: Record<string, string> =
    answer.status === 204
      ? {}
      : answer.rest
        ? { 'Content-Type': answer.type }
        : { 'Content-Type': answer.type, 'Content-Length': String(Buffer.byteLength(answer.body)) };
  return { ...ALWAYS, ...content, ...answer.headers };
}

/** The whole HTTP response as text, for a connection without a request to answer; it closes the connection. */
export function closingResponse(answer: Answer, reason: string): string {
  const headers = Object.entries({ ...headersOf(answer), Connection: 'close' });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${answer.status} ${reason}\r\n${lines}\r\n${answer.body}`;
}
