import { describe, expect, it } from 'vitest';
import { requestToken, serviceForTest, standingClock, TOKEN_FORM } from './testing/client';

describe('the token endpoint', () => {
  it('exchanges the client credentials for a bearer token that must not be cached', async () => {
    const service = await serviceForTest();
    const answer = await requestToken(service);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await answer.json()).toEqual({
      access_token: expect.stringMatching(/^[\w-]{20,}$/),
      token_type: 'Bearer',
      expires_in: 43_199,
      scope: 'openid',
    });
  });

  it('issues another token each time', async () => {
    const service = await serviceForTest();
    const bodies = await Promise.all([1, 2, 3].map(async () => (await requestToken(service)).text()));
    expect(new Set(bodies).size).toBe(3);
  });

  const without = (name: keyof typeof TOKEN_FORM) =>
    Object.fromEntries(Object.entries(TOKEN_FORM).filter(([key]) => key !== name));
  it.each([
    ['another client', { ...TOKEN_FORM, client_id: 'somebody' }, 401, 'invalid_client'],
    ['a wrong secret', { ...TOKEN_FORM, client_secret: 'guess' }, 401, 'invalid_client'],
    ['no grant type', without('grant_type'), 400, 'invalid_request'],
    ['no client id', without('client_id'), 400, 'invalid_request'],
    ['no secret', without('client_secret'), 400, 'invalid_request'],
    ['no scope', without('scope'), 400, 'invalid_request'],
    ['another grant type', { ...TOKEN_FORM, grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['another scope', { ...TOKEN_FORM, scope: 'everything' }, 400, 'invalid_scope'],
  ])('refuses %s', async (_, form, status, error) => {
    const service = await serviceForTest();
    const answer = await requestToken(service, form);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual({ error, error_description: expect.any(String) });
  });

  it('refuses a repeated parameter and a body that is no form', async () => {
    const service = await serviceForTest();
    const url = `${service.origin}/oauth/v2/token`;
    const repeated = new URLSearchParams(TOKEN_FORM);
    repeated.append('scope', 'openid');
    const answers = [
      await fetch(url, { method: 'POST', body: repeated }),
      await fetch(url, {
        method: 'POST',
        body: JSON.stringify(TOKEN_FORM),
        headers: { 'Content-Type': 'application/json' },
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect((await fetch(url)).status).toBe(405);
  });

  it('lets a token live for exactly its lifetime', async () => {
    const clock = standingClock(Date.UTC(2026, 0, 5));
    const service = await serviceForTest({ clock, tokenLifetimeSeconds: 60 });
    const { access_token, expires_in } = (await (await requestToken(service)).json()) as {
      access_token: string;
      expires_in: number;
    };
    expect(expires_in).toBe(60);
    const check = () =>
      fetch(`${service.origin}/v1alpha/inventory/devices`, {
        method: 'POST',
        body: '{}',
        headers: {
          Authorization: `Bearer ${access_token}`,
          'X-Service-Namespace': 'project:demo-project',
          'Content-Type': 'application/json',
        },
      });
    clock.time += 59_999;
    expect((await check()).status).toBe(200);
    // A shifted `Date` changes only the header, not the clock.
    service.setFaults({ clockOffsetSeconds: 86_400 });
    expect((await check()).status).toBe(200);
    clock.time += 1;
    expect((await check()).status).toBe(401);
  });
});
