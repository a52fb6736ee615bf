import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConnectionStep } from '../../shared/admin';
import { silentLog } from '../../shared/log';
import { type DemoService, startDemoService } from '../demo-service/demo-service';
import { readInPlace } from '../reading/testing/read-in-place';
import { realHttp } from '../service/testing/local-server';
import { readSettings } from '../settings/testing/read-settings';
import { checkConnection } from './connection-check';

let service: DemoService;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service.close());

async function check(change: (raw: ReturnType<DemoService['settings']>) => object = (raw) => raw) {
  const read = readSettings(change(service.settings()), 'test');
  if (read.kind === 'error') throw new Error(read.message);
  const told: ConnectionStep[] = [];
  const device = { os: 'linux', osver: '6.1', devicemodel: 'kiosk', userAgent: 'Browser/1' };
  const steps = await checkConnection(
    read.settings,
    { httpOf: () => realHttp, random: () => 0.5, log: silentLog, device, reading: readInPlace },
    (step) => told.push(step),
  );
  expect(told).toEqual(steps);
  return steps;
}
const results = (steps: readonly ConnectionStep[]) => steps.map(({ step, ok, code }) => [step, ok, code]);

it('tries token, inventory, a playlist and native, in this order', async () => {
  const steps = await check();
  expect(results(steps)).toEqual([
    ['token', true, null],
    ['inventory', true, null],
    ['ads', true, null],
    ['native', true, null],
  ]);
  expect(steps[2]?.message).toMatch(/\d+ ads/);
});

it('says which step fails, why, and what to do', async () => {
  const steps = await check((raw) => ({
    ...raw,
    service: { ...raw.service, clientSecret: 'not-the-secret' },
  }));
  expect(results(steps)).toEqual([
    ['token', false, 'wrong-secret'],
    ['inventory', false, 'not-tried'],
    ['ads', false, 'not-tried'],
    ['native', true, null],
  ]);
  expect(steps[0]?.advice).not.toBeNull();
  expect(JSON.stringify(steps)).not.toContain('not-the-secret');
});

it('leaves out native where native ads are off', async () => {
  const steps = await check((raw) => ({ ...raw, native: { ...raw.native, enabled: false } }));
  expect(steps.map(({ step }) => step)).toEqual(['token', 'inventory', 'ads']);
});

it('leaves nothing running behind', async () => {
  await check();
  service.clearRequests();
  await check((raw) => ({ ...raw, native: { ...raw.native, enabled: false } }));
  expect(service.requests().map(({ path }) => path.split('?')[0])).toEqual([
    '/oauth/v2/token',
    '/v1alpha/inventory/devices',
    '/v1alpha2/ads',
  ]);
});
