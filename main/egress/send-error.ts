import { isTimeout } from '../deadline';

/**
 * Why a proxy did not connect to the host. `proxy-unreachable`: no connection to the proxy itself.
 * `proxy-auth`: it rejects the credentials. `proxy-refused`: it does not connect to this host. The request
 * has not reached the host.
 */
export type ProxyErrorCode = 'proxy-unreachable' | 'proxy-auth' | 'proxy-refused';

/**
 * Why a request got no answer. `fenced`: the egress policy forbids it (rule 22). `name`, `connection`, `tls`:
 * no connection. `timeout`: too slow. `cancelled`: by the caller's signal. `redirects`: too many. `answer`:
 * no HTTP answer came. `encoding`: for a body only; its content encoding is not supported or decodes to
 * almost nothing.
 */
export type SendErrorCode =
  | ProxyErrorCode
  | 'fenced'
  | 'name'
  | 'connection'
  | 'tls'
  | 'timeout'
  | 'cancelled'
  | 'redirects'
  | 'answer'
  | 'encoding';

/**
 * What the HTTP client rejects with. `left` is for delivery at most once (rule
 * 16): `no` when not a byte of the request can have been sent, so that repeating
 * it counts nothing twice; `maybe` in every other case, even when an earlier hop
 * of a redirect was reached. Reading a body may reject with one too; that comes
 * after an answer, and says nothing about delivery.
 */
export class SendError extends Error {
  override readonly name = 'SendError';

  constructor(
    readonly code: SendErrorCode,
    readonly left: 'no' | 'maybe',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The error that ended a request.
 *
 * @param signal of the request: once it is aborted, that is the cause
 * @param otherwise the code of a system error that is neither TLS nor slowness
 */
export function asSendError(
  error: unknown,
  signal: AbortSignal,
  left: 'no' | 'maybe',
  otherwise: 'connection' | 'answer' = 'connection',
): SendError {
  const cause = signal.aborted ? signal.reason : error;
  if (isTimeout(cause))
    return new SendError('timeout', left, 'the answer was not complete in time', { cause });
  if (signal.aborted) return new SendError('cancelled', left, 'cancelled', { cause });
  if (error instanceof SendError) return new SendError(error.code, left, error.message, { cause });
  const words = errorWords(error);
  const why = systemCode(words);
  if (otherwise === 'answer') {
    return new SendError('answer', left, `the connection ended without an answer (${why})`, { cause });
  }
  if (TLS_WORDS.test(words)) return new SendError('tls', left, `no TLS connection (${why})`, { cause });
  const code = /ETIMEDOUT/.test(words) ? 'timeout' : 'connection';
  return new SendError(code, left, `no connection (${why})`, { cause });
}

/** Node's codes and messages about TLS and certificates. The message of a reset connection (ECONNRESET) names TLS, too. */
const TLS_WORDS = /CERT|SSL|ERR_TLS|SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO|EPROTO|ALTNAME/;

/**
 * Whether an error says that the server refuses the kiosk's own certificate, or that it has none (`errorWords`). Over
 * TLS 1.3 a server says so only after the handshake (RFC 8446, 4.4.2.4); TLS 1.2 has no alert of its own for a missing one.
 */
export const isCertificateRefused = (words: string): boolean => CERTIFICATE_ALERTS.test(words);

const CERTIFICATE_ALERTS =
  /ALERT_((BAD|UNSUPPORTED)_CERTIFICATE|CERTIFICATE_(REVOKED|EXPIRED|UNKNOWN|REQUIRED)|UNKNOWN_CA|HANDSHAKE_FAILURE)\b/;

/** Codes and messages of an error and of what caused it. */
export function errorWords(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 3) return '';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const inner = error instanceof AggregateError ? error.errors[0] : undefined;
  return [code, error.message, errorWords(error.cause, depth + 1), errorWords(inner, depth + 1)].join(' ');
}

/** Only the system's code: its messages hold addresses, and may hold more. */
export function systemCode(words: string): string {
  return /\b([A-Z][A-Z0-9]*_[A-Z0-9_]+|E[A-Z]{3,})\b/.exec(words)?.[1] ?? 'no reason given';
}
