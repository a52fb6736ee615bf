import {
  errorWords,
  isCertificateRefused,
  SendError,
  type SendErrorCode,
  systemCode,
} from '../egress/send-error';
import { looksLikeWebPage, rpcCode, serviceMessage } from './service-message';

export type Operation = keyof typeof OPERATIONS;

export type ServiceErrorCode = keyof typeof WORDS;

/** A failed request, as a value. Contains no token and no secret; all texts are bounded (rule 23). */
export interface ServiceError {
  readonly code: ServiceErrorCode;
  readonly operation: Operation;
  /** What happened, in a sentence. */
  readonly message: string;
  /** What an operator should do about it, in a sentence. */
  readonly advice: string;
  readonly status?: number;
  /** How long the service asked to wait, ms, at most an hour. */
  readonly retryAfterMs?: number;
  /** The service's own message, at most 300 characters, without secrets. */
  readonly serviceMessage?: string;
}

export interface ServiceFailure {
  readonly kind: 'error';
  readonly error: ServiceError;
}

interface Circumstances {
  readonly host: string;
  readonly status?: number;
  readonly retryAfterMs?: number | null;
  readonly serviceMessage?: string | null;
  /** The exact cause in a few words, without secrets (`ECONNREFUSED`, `over 67108864 bytes`). */
  readonly detail?: string;
}

export function failure(
  operation: Operation,
  code: ServiceErrorCode,
  { host, status, retryAfterMs, serviceMessage, detail }: Circumstances,
): ServiceFailure {
  const { happened, advice } = WORDS[code];
  const { service, setting, path } = OPERATIONS[operation];
  const what = happened.replace('STATUS', String(status ?? 'no status'));
  const because = detail === undefined ? '' : ` (${detail})`;
  return {
    kind: 'error',
    error: {
      code,
      operation,
      message: `The ${service} at ${host} ${what}${because}.`,
      advice: advice.replace('SETTING', setting).replace('PATH', path),
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === undefined || retryAfterMs === null ? {} : { retryAfterMs }),
      ...(serviceMessage === undefined || serviceMessage === null ? {} : { serviceMessage }),
    },
  };
}

/** The error code for an unsuccessful HTTP status and its body. */
export function statusCode(operation: Operation, status: number, body: string): ServiceErrorCode {
  if (operation === 'token' && status === 400 && /"invalid_client"/.test(body)) return 'wrong-secret';
  if (status === 401) return operation === 'token' ? 'wrong-secret' : 'unauthorized';
  // A firewall's page says nothing of the account.
  if (status === 403 && !looksLikeWebPage(body)) return 'forbidden';
  const said = serviceMessage(body, []);
  const knowsPath =
    ARGUMENT_ERRORS.get(status) === rpcCode(body) &&
    said !== UNKNOWN_PATH &&
    (status !== 404 || said !== null);
  // The project is the only id in that request, so only the project can be unknown or malformed.
  if (knowsPath) return operation === 'inventory' ? 'wrong-project' : 'unexpected-status';
  if (status === 404 || status === 410) return 'not-found';
  if (status === 429) return 'rate-limited';
  if (status === 511) return 'web-page';
  if (status >= 500) return 'server-error';
  // Checked after 5xx: a web page with a 5xx comes from a gateway, one with another status from the store's
  // network.
  return looksLikeWebPage(body) ? 'web-page' : 'unexpected-status';
}

/** The message of a gRPC gateway with NOT_FOUND for a path that it does not know. */
const UNKNOWN_PATH = 'Not Found';

/** gRPC codes NOT_FOUND and INVALID_ARGUMENT, by the HTTP status that a gateway sends with them. */
const ARGUMENT_ERRORS: ReadonlyMap<number, number> = new Map([
  [404, 5],
  [400, 3],
]);

/** The error code for an error of the HTTP client before an answer came. Only proof of play shows a certificate. */
export function networkCode(
  error: unknown,
  operation: Operation,
): { code: ServiceErrorCode; detail: string } {
  const words = errorWords(error);
  if (!(error instanceof SendError)) return { code: 'unreachable-connection', detail: systemCode(words) };
  const code = SEND_CODES[error.code];
  const isOfTls = error.code === 'tls' || error.code === 'answer';
  const isRefused = operation === 'proof' && isOfTls && isCertificateRefused(words);
  return {
    code: isRefused ? 'client-certificate' : code === 'tls' ? tlsCode(words) : code,
    // The message names the proxy and the reason, but no secret.
    detail: error.code.startsWith('proxy-') ? error.message : systemCode(words),
  };
}

const SEND_CODES: Readonly<Record<SendErrorCode, ServiceErrorCode>> = {
  'proxy-unreachable': 'proxy-unreachable',
  'proxy-auth': 'proxy-auth',
  'proxy-refused': 'proxy-refused',
  name: 'unreachable-name',
  fenced: 'unreachable-connection',
  connection: 'unreachable-connection',
  answer: 'unreachable-connection',
  tls: 'tls',
  timeout: 'timeout',
  cancelled: 'cancelled',
  redirects: 'redirect',
  encoding: 'malformed',
};

/** Certificate errors, by the error codes of Node (OpenSSL). */
const TLS_CODES: ReadonlyArray<readonly [RegExp, ServiceErrorCode]> = [
  // Signed by a CA that this kiosk does not know (as behind a proxy that inspects TLS), or self-signed.
  [/UNABLE_TO_GET_ISSUER_CERT|SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_UNTRUSTED/, 'unknown-ca'],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'certificate-date'],
  [/ALTNAME_INVALID|HOSTNAME_MISMATCH/, 'certificate-name'],
];

/** The code of an error of TLS, by its words (`errorWords`). */
export const tlsCode = (words: string): ServiceErrorCode =>
  TLS_CODES.find(([pattern]) => pattern.test(words))?.[1] ?? 'tls';

/** What an operation's service is called, the setting with its address, and the path that the kiosk adds to that. */
const OPERATIONS = {
  token: { service: 'token service', setting: 'service.authUrl', path: '/oauth/v2/token' },
  inventory: { service: 'inventory service', setting: 'service.baseUrl', path: '/v1alpha/inventory/devices' },
  playlist: { service: 'ads service', setting: 'service.baseUrl', path: '/v1alpha2/ads' },
  'online-ads': { service: 'ads service', setting: 'service.baseUrl', path: '/v1alpha2/ads' },
  native: { service: 'native ad service', setting: 'service.nativeUrl', path: '/api/v3/native' },
  proof: { service: 'receiver of proof of play', setting: 'proof.url', path: '' },
};

const WORDS = {
  'unreachable-name': {
    happened: 'cannot be found: its name has no address',
    advice: "Check the kiosk's network connection and DNS, and the spelling of SETTING.",
  },
  'unreachable-connection': {
    happened: 'cannot be connected to',
    advice: "Check the kiosk's network connection and the store's firewall, and the address in SETTING.",
  },
  'proxy-unreachable': {
    happened: "was not reached, because the store's proxy cannot be used",
    advice:
      'Check network.proxy (or the proxy of the system), and that the proxy runs and lets this kiosk connect.',
  },
  'proxy-auth': {
    happened: "was not reached, because the store's proxy wants another user and password",
    advice:
      'Check the user and password in network.proxy; special characters are percent-encoded. "system" knows no password: write the proxy into network.proxy.',
  },
  'proxy-refused': {
    happened: "was not reached, because the store's proxy does not lead there",
    advice:
      'With a status of 4xx or none, ask whoever runs the proxy to allow this host and port for the kiosk, or name it in network.noProxy. With 502, 503 or 504 the proxy could not connect either, usually because the service is down: it is tried again by itself.',
  },
  tls: {
    happened: 'could not prove who it is (TLS)',
    advice: "Ask the service, and whoever runs the store's network, which TLS versions they speak.",
  },
  'certificate-date': {
    happened: 'showed a certificate that is out of date, or not valid yet',
    advice:
      "Check the kiosk's date and time. If they are right, the service has to renew its certificate: tell it.",
  },
  'certificate-name': {
    happened: 'showed a certificate of another host',
    advice:
      "Check the spelling of SETTING. If it is right, the store's DNS or a log-in page leads elsewhere: ask whoever runs the network.",
  },
  'client-certificate': {
    happened: 'refuses the TLS certificate of this kiosk, or that it shows none',
    advice:
      'Check proof.clientCertFile: it may be missing, out of date, or of a CA that the receiver does not trust. If it is right, ask the receiver which TLS versions it speaks.',
  },
  'unknown-ca': {
    happened: 'showed a certificate of a CA that this kiosk does not know',
    advice:
      "Usually the store's proxy inspects traffic, or the service has a CA of its own: put that CA's certificate (PEM) into a file and name it in network.caFile. A certificate signed by itself is its own CA.",
  },
  timeout: {
    happened: 'did not answer in time',
    advice:
      "Usually the network is slow, the store's firewall drops what the kiosk sends, or the service is overloaded; it is tried again by itself.",
  },
  cancelled: { happened: 'was no longer asked', advice: 'Nothing: the request was cancelled.' },
  'insecure-address': {
    happened: 'was not called, because a secret would have gone over plain http',
    advice: 'Write SETTING with https.',
  },
  redirect: {
    happened: 'redirected to another address (STATUS)',
    advice: 'Redirects are not followed with credentials: put the final address into SETTING.',
  },
  'too-large': {
    happened: 'sent more than this kiosk takes',
    advice: 'Ask for fewer ads (for example with a limit parameter), or tell the service.',
  },
  truncated: {
    happened: 'broke off in the middle of its answer',
    advice: 'Usually the network was interrupted; it is tried again by itself.',
  },
  'wrong-secret': {
    happened: 'does not accept the client ID and secret (STATUS)',
    advice:
      'Check service.clientId and the client secret, and that they belong to this environment. Both are read at the start: if you have changed one, restart the player.',
  },
  unauthorized: {
    happened: 'does not accept the access token (STATUS)',
    advice: 'Check that SETTING and service.authUrl belong to the same environment.',
  },
  'tokens-refused': {
    happened: 'gave new access tokens, but the service refuses them',
    advice: 'Check that service.authUrl and service.baseUrl belong to the same environment.',
  },
  forbidden: {
    happened: 'refuses this service account (STATUS)',
    advice:
      "Read the service's own message in the connection test of the overlay. Check service.projectId and, for ads, player and key in ads.params; if they are right, ask the service to grant this account access to the project.",
  },
  'wrong-project': {
    happened: 'does not know this project (STATUS)',
    advice: 'Check service.projectId: it is the project ID from onboarding, without "project:" before it.',
  },
  'not-found': {
    happened: 'has nothing at this address (STATUS)',
    advice: 'Check SETTING: it ends before "PATH", which the kiosk adds.',
  },
  'rate-limited': {
    happened: 'wants fewer requests (STATUS)',
    advice: 'It is tried again later by itself; if this continues, refresh less often.',
  },
  'server-error': {
    happened: 'has an error of its own (STATUS)',
    advice: 'It is tried again by itself; if this continues, tell the service.',
  },
  'unexpected-status': {
    happened: 'did not take the request (STATUS)',
    advice:
      "Read the service's own message in the connection test of the overlay, and check the request parameters in the settings against it: for ads, player and key in ads.params.",
  },
  'web-page': {
    happened: 'seems to be hidden behind a web page: one came instead of an answer',
    advice: "Look for a log-in page or a web filter of the store's network, and check SETTING.",
  },
  'not-xml': {
    happened: 'sent something that is no XML',
    advice: 'Check SETTING and the ads parameters; if they are right, tell the service.',
  },
  'not-json': {
    happened: 'sent something that is no JSON',
    advice: 'Check SETTING; if it is right, tell the service.',
  },
  empty: {
    happened: 'sent an empty answer where a document was expected',
    advice: 'It is tried again by itself; if this continues, tell the service.',
  },
  malformed: {
    happened: 'sent an answer that cannot be read',
    advice: 'Tell the service; what was stored before stays in use.',
  },
  'not-stored': {
    happened: 'sent an answer that this kiosk could not store',
    advice: "Check the kiosk's disk and its log; it is tried again by itself.",
  },
  refused: {
    happened: 'answered with an error',
    advice:
      "See the service's own message in the connection test of the overlay, and check the settings that it names.",
  },
};
