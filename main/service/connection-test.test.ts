import { expect, test } from 'vitest';
import type { ConnectionStep } from '../../shared/admin';
import { Secret } from '../settings/secret';
import { type ConnectionTestOptions, testConnection } from './connection-test';
import { failure } from './service-error';
import { handTurnedTime } from './testing/hand-turned-time';

function options(changes: Partial<ConnectionTestOptions> = {}): ConnectionTestOptions {
  return {
    clock: handTurnedTime().clock,
    account: {
      tokens: { renew: async () => ({ kind: 'token', token: new Secret('t') }) },
      inventory: async () => ({ kind: 'ok', serverTime: null }),
    },
    adsNeedToken: true,
    requestPlaylist: async () => ({
      kind: 'document',
      text: '<VAST/>',
      validators: null,
      serverTime: null,
      leftMs: 120_000,
    }),
    countAds: async () => 12,
    requestNative: async () => 1,
    ...changes,
  };
}

const lines = (steps: readonly ConnectionStep[]) =>
  steps.map((step) => `${step.step} ${step.ok ? 'ok' : 'no'}`);
const wrongSecret = failure('token', 'wrong-secret', {
  host: 'auth.example.com',
  status: 401,
  serviceMessage: 'nope',
});
const noToken = {
  tokens: { renew: async () => wrongSecret },
  inventory: async () => {
    throw new Error('must not be called');
  },
};

test('everything works', async () => {
  const told: ConnectionStep[] = [];
  const steps = await testConnection(options({ onStep: (step) => told.push(step) }));
  expect(lines(steps)).toEqual(['token ok', 'inventory ok', 'ads ok', 'native ok']);
  expect(steps[2]?.message).toBe('The playlist arrived with 12 ads.');
  expect(steps[3]?.message).toBe('The native answer arrived with one ad.');
  expect(steps.every((step) => step.advice === null)).toBe(true);
  expect(told).toEqual(steps);
});

test('a wrong secret is explained, and steps that need the token are not tried', async () => {
  const steps = await testConnection(options({ account: noToken }));
  expect(lines(steps)).toEqual(['token no', 'inventory no', 'ads no', 'native ok']);
  expect(steps[0]?.message).toContain('does not accept the client ID and secret (401)');
  expect(steps[0]?.message).toContain('“nope”');
  expect(steps[0]?.advice).toContain('service.clientId');
  expect(steps[1]?.message).toContain('Not tried');
});

test('ads that need no token are tried without one', async () => {
  const steps = await testConnection(options({ account: noToken, adsNeedToken: false, requestNative: null }));
  expect(lines(steps)).toEqual(['token no', 'inventory no', 'ads ok']);
});

test('a kiosk without a service account has no token to test', async () => {
  const steps = await testConnection(options({ account: null, adsNeedToken: false }));
  expect(lines(steps)).toEqual(['ads ok', 'native ok']);
});

test('no fill counts as a working connection', async () => {
  const steps = await testConnection(
    options({ requestPlaylist: async () => ({ kind: 'no-fill', serverTime: null }) }),
  );
  expect(steps[2]).toMatchObject({ ok: true, message: expect.stringContaining('no fill') });
});

test('the ads step fails if the playlist is unreadable', async () => {
  const steps = await testConnection(
    options({ countAds: async () => failure('playlist', 'malformed', { host: 'ads.example.com' }) }),
  );
  expect(steps[2]).toMatchObject({ ok: false, message: expect.stringContaining('cannot be read') });
});
