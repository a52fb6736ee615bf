import { describe, expect, test } from 'vitest';
import { silentLog } from '../../shared/log';
import { Secret } from '../settings/secret';
import { callInventory } from './service-clients';
import { localServer, realHttp } from './testing/local-server';
import { createAccessTokens } from './token';

/** The operation's result for this answer, and the request that it sent. */
async function called(status: number, body: string) {
  await using server = await localServer((request, response) => {
    if (request.path === '/oauth/v2/token')
      response.end('{"access_token":"abc","token_type":"Bearer","expires_in":60,"scope":"openid"}');
    else response.writeHead(status).end(body);
  });
  const account = { authUrl: server.url, clientId: 'c', clientSecret: new Secret('s'), projectId: 'p-1' };
  const tokens = createAccessTokens({ account, http: realHttp, random: () => 0.5, log: silentLog });
  const project = { 'X-Service-Namespace': 'project:p-1' };
  const answer = await callInventory(realHttp, tokens, server.url, project);
  tokens.stop();
  return { answer, request: server.received.at(-1) };
}

describe('the inventory operation', () => {
  test('posts an empty object, with the token and the project in its headers', async () => {
    const { request } = await called(200, '{}');
    expect(request).toMatchObject({
      method: 'POST',
      path: '/v1alpha/inventory/devices',
      body: '{}',
      headers: {
        authorization: 'Bearer abc',
        'x-service-namespace': 'project:p-1',
        'content-type': 'application/json',
      },
    });
  });

  test.each([
    ['no body', ''],
    ['an empty object', '{}'],
    ['a body that it does not know', '{"devices":[{"name":"projects/p/devices/d"}]}'],
    ['a body that is no JSON', 'fine'],
    ['the devices of a whole fleet', 'x'.repeat(17 * 1024 * 1024)],
  ])('succeeds if the service answers 200 with %s', async (_what, body) => {
    expect((await called(200, body)).answer).toMatchObject({ kind: 'response' });
  });

  test.each([
    [201, 'unexpected-status'],
    [403, 'forbidden'],
    [500, 'server-error'],
  ])('fails if the service answers %d: %s', async (status, code) => {
    expect((await called(status, '{}')).answer).toMatchObject({
      kind: 'error',
      error: { code, operation: 'inventory', status },
    });
  });
});
