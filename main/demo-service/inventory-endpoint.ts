import {
  type Answer,
  header,
  jsonAnswer,
  methodNotAllowed,
  rpcError,
  type ServiceRequest,
} from './http-answer';
import type { IssuedTokens } from './token-endpoint';

/**
 * Checks an authenticated request: a live bearer token, and the namespace header with the project. Null: both
 * are valid. The inventory requires the header; the interface does not require it for ads, so there it is
 * checked only if present.
 */
export function refuseUnauthorized(
  request: ServiceRequest,
  tokens: IssuedTokens,
  projectId: string,
  namespaceRule: 'required' | 'optional',
): Answer | null {
  const [, token] = /^Bearer ([^\s]+)$/i.exec(header(request, 'authorization') ?? '') ?? [];
  if (token === undefined) return rpcError('unauthenticated', 'missing bearer token');
  if (!tokens.isLive(token)) return rpcError('unauthenticated', 'token is expired or unknown');
  const namespace = header(request, 'x-service-namespace');
  if (namespace === null) {
    return namespaceRule === 'optional' ? null : rpcError('invalid-argument', 'missing X-Service-Namespace');
  }
  if (!/^project:.+/.test(namespace)) {
    return rpcError('invalid-argument', 'X-Service-Namespace must be "project:<PROJECT_ID>"');
  }
  if (namespace !== `project:${projectId}`) {
    return rpcError('permission-denied', 'the token does not give access to this project');
  }
  return null;
}

/** `POST /v1alpha/inventory/devices`: a list call, also the way to see whether the credentials work. */
export function inventoryEndpoint(
  request: ServiceRequest,
  tokens: IssuedTokens,
  projectId: string,
  playerid: string,
): Answer {
  if (request.method !== 'POST') return methodNotAllowed('POST');
  const refused = refuseUnauthorized(request, tokens, projectId, 'required');
  if (refused !== null) return refused;
  if (!/^application\/json\b/i.test(header(request, 'content-type') ?? '')) {
    return rpcError('invalid-argument', 'the body must be application/json');
  }
  let body: unknown;
  try {
    body = JSON.parse(request.body.toString('utf8'));
  } catch {
    return rpcError('invalid-argument', 'the body is not JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return rpcError('invalid-argument', 'the body must be a JSON object');
  }
  return jsonAnswer(200, { devices: [{ name: `projects/${projectId}/devices/${playerid}` }] });
}
