import { type Answer, header, jsonAnswer, methodNotAllowed, type ServiceRequest } from './http-answer';
import type { Registration } from './kiosk-settings';

export type IssuedTokens = ReturnType<typeof createIssuedTokens>;

/** The issued access tokens: they expire by the service's clock and can be revoked. */
export function createIssuedTokens(now: () => number, mint: () => string, lifetimeSeconds: number) {
  const expiry = new Map<string, number>();
  return {
    lifetimeSeconds,
    issue(): string {
      const token = mint();
      expiry.set(token, now() + lifetimeSeconds * 1000);
      return token;
    },
    isLive: (token: string): boolean => now() < (expiry.get(token) ?? Number.NEGATIVE_INFINITY),
    /** Every token out becomes worthless at once, as when an operator rotates keys. */
    revokeAll: (): void => expiry.clear(),
  };
}

const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

function refuse(status: number, error: string, description: string): Answer {
  return jsonAnswer(status, { error, error_description: description }, NO_STORE);
}

/** `POST /oauth/v2/token`: client credentials only, errors as in RFC 6749, section 5.2. */
export function tokenEndpoint(
  request: ServiceRequest,
  client: Pick<Registration, 'clientId' | 'clientSecret'>,
  tokens: IssuedTokens,
): Answer {
  if (request.method !== 'POST') return methodNotAllowed('POST');
  const contentType = (header(request, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (contentType !== 'application/x-www-form-urlencoded') {
    return refuse(400, 'invalid_request', 'The body must be application/x-www-form-urlencoded.');
  }
  const form = new URLSearchParams(request.body.toString('utf8'));
  for (const name of new Set(form.keys())) {
    if (form.getAll(name).length > 1) return refuse(400, 'invalid_request', `${name} is repeated.`);
  }
  const missing = ['grant_type', 'client_id', 'client_secret', 'scope'].find((name) => !form.get(name));
  if (missing !== undefined) return refuse(400, 'invalid_request', `${missing} is missing.`);
  if (form.get('grant_type') !== 'client_credentials') {
    return refuse(400, 'unsupported_grant_type', 'Only client_credentials is supported.');
  }
  if (form.get('client_id') !== client.clientId || form.get('client_secret') !== client.clientSecret) {
    return refuse(401, 'invalid_client', 'Unknown client or wrong secret.');
  }
  if (form.get('scope') !== 'openid') return refuse(400, 'invalid_scope', 'The scope is openid.');
  const body = {
    access_token: tokens.issue(),
    token_type: 'Bearer',
    expires_in: tokens.lifetimeSeconds,
    scope: 'openid',
  };
  return jsonAnswer(200, body, NO_STORE);
}
