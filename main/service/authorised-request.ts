import { type Http, request, type ServiceRequest, type ServiceResponse } from './http';
import type { ServiceFailure } from './service-error';
import type { AccessTokens } from './token';

/** Sends a request with the access token. After a 401, requests a new token and repeats the request once. */
export async function authorisedRequest(
  http: Http,
  tokens: AccessTokens,
  call: ServiceRequest,
): Promise<ServiceResponse | ServiceFailure> {
  const first = await withCurrentToken(http, tokens, call);
  if (first.kind === 'response' || first.error.code !== 'unauthorized') return first;
  const second = await withCurrentToken(http, tokens, call);
  // If no new token was obtained, the 401 explains more than that error.
  return second.kind === 'error' && second.error.operation === 'token' ? first : second;
}

async function withCurrentToken(
  http: Http,
  tokens: AccessTokens,
  call: ServiceRequest,
): Promise<ServiceResponse | ServiceFailure> {
  const token = await tokens.current();
  if (token.kind === 'error') return token;
  const bearer = token.token.reveal();
  const answer = await request(http, {
    ...call,
    headers: { ...call.headers, Authorization: `Bearer ${bearer}` },
    secrets: [...call.secrets, bearer],
  });
  const status = answer.kind === 'response' ? answer.status : answer.error.status;
  if (status === 401) tokens.invalidate(token.token);
  else if (status !== undefined) tokens.accepted(token.token);
  return answer;
}
