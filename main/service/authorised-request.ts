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
  if (!first.mayRepeat) return first.answer;
  const second = await withCurrentToken(http, tokens, call);
  // If no new token was obtained, the 401 explains more than that error.
  const isOfToken = second.answer.kind === 'error' && second.answer.error.operation === 'token';
  return isOfToken ? first.answer : second.answer;
}

/** `mayRepeat`: the token was rejected, and a new one may be accepted. */
async function withCurrentToken(
  http: Http,
  tokens: AccessTokens,
  call: ServiceRequest,
): Promise<{ readonly answer: ServiceResponse | ServiceFailure; readonly mayRepeat: boolean }> {
  const token = await tokens.current();
  if (token.kind === 'error') return { answer: token, mayRepeat: false };
  const bearer = token.token.reveal();
  const answer = await request(http, {
    ...call,
    headers: { ...call.headers, Authorization: `Bearer ${bearer}` },
    secrets: [...call.secrets, bearer],
  });
  const status = answer.kind === 'response' ? answer.status : answer.error.status;
  if (status === 401) return { answer, mayRepeat: tokens.invalidate(token.token, call.operation) };
  if (status !== undefined) tokens.accepted(token.token, call.operation);
  return { answer, mayRepeat: false };
}
