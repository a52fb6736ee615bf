import { describe, expect, it } from 'vitest';
import type { DemoService } from './demo-service';
import { accessToken, serviceForTest } from './testing/client';

async function devices(
  service: DemoService,
  headers: Record<string, string>,
  body = '{}',
): Promise<Response> {
  const given = {
    Authorization: `Bearer ${await accessToken(service)}`,
    'X-Service-Namespace': 'project:demo-project',
    'Content-Type': 'application/json',
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  return fetch(`${service.origin}/v1alpha/inventory/devices`, { method: 'POST', headers: sent, body });
}

describe('the inventory endpoint', () => {
  it('lists the registered device for a live token and the right project', async () => {
    const service = await serviceForTest();
    const answer = await devices(service, {});
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      devices: [{ name: 'projects/demo-project/devices/demo-player-1' }],
    });
  });

  it.each<[string, Record<string, string>, string, number, number]>([
    ['no token', { Authorization: '' }, '{}', 401, 16],
    ['an unknown token', { Authorization: 'Bearer abc' }, '{}', 401, 16],
    ['another scheme', { Authorization: 'Basic abc' }, '{}', 401, 16],
    ['no namespace', { 'X-Service-Namespace': '' }, '{}', 400, 3],
    ['a malformed namespace', { 'X-Service-Namespace': 'demo-project' }, '{}', 400, 3],
    ['another project', { 'X-Service-Namespace': 'project:other' }, '{}', 403, 7],
    ['another content type', { 'Content-Type': 'text/plain' }, '{}', 400, 3],
    ['a body that is not JSON', {}, '{', 400, 3],
    ['a body that is no object', {}, '[]', 400, 3],
  ])('refuses %s as a gRPC gateway does', async (_, headers, body, status, code) => {
    const service = await serviceForTest();
    const answer = await devices(service, headers, body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ code, message: expect.any(String), details: [] });
  });

  it('refuses every token that was issued before the revocation', async () => {
    const service = await serviceForTest();
    const Authorization = `Bearer ${await accessToken(service)}`;
    expect((await devices(service, { Authorization })).status).toBe(200);
    service.revokeTokens();
    expect((await devices(service, { Authorization })).status).toBe(401);
    expect((await devices(service, {})).status).toBe(200);
  });
});
