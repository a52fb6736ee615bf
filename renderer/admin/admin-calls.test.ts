import { describe, expect, it } from 'vitest';
import type { AdminNews } from '../../shared/admin';
import { type Call, holdPort, type RpcPort } from '../../shared/rpc';
import { adminCalls } from './admin-calls';

function line() {
  const called: Call[] = [];
  let send: (message: unknown) => void = () => undefined;
  const bridge: RpcPort = {
    send: (message) => void called.push(message as Call),
    onMessage: (listener) => {
      send = listener;
    },
  };
  let waiting = 0;
  const held = holdPort(bridge, Number.POSITIVE_INFINITY, () => {
    waiting += 1;
  });
  return { called, held, send: (message: unknown) => send(message), waiting: () => waiting };
}

const news = (step: 'token' | 'ads'): AdminNews => ({
  kind: 'connection-step',
  step: { step, ok: true, code: null, ads: null, message: '', advice: null, ms: 1 },
});

describe('the connection to main', () => {
  it('buffers messages until the first listener, in order', () => {
    const { held, send, waiting } = line();
    send({ tell: 'news', value: news('token') });
    send({ tell: 'news', value: news('ads') });
    expect(waiting()).toBe(2);
    const told: AdminNews[] = [];
    adminCalls(held, (message) => told.push(message));
    expect(told).toEqual([news('token'), news('ads')]);
    send({ tell: 'news', value: news('token') });
    expect(told).toHaveLength(3);
    expect(waiting()).toBe(2);
  });
});

describe('calls', () => {
  it('return every answer to its caller, in any order', async () => {
    const { called, held, send } = line();
    const calls = adminCalls(held, () => undefined);
    const one = calls.ask('exportTargets', null);
    const other = calls.ask('judgePin', { pin: '1234' });
    const [first, second] = called.map(({ call }) => call);
    expect(first).not.toBe(second);
    send({ call: second, ok: true, output: 'sequence' });
    send({ call: first, ok: true, output: [] });
    expect(await one).toEqual({ ok: true, output: [] });
    expect(await other).toEqual({ ok: true, output: 'sequence' });
  });

  it('return the reason of a refusal', async () => {
    const { called, held, send } = line();
    const asked = adminCalls(held, () => undefined).ask('lock', null);
    send({ call: called[0]?.call, ok: false, code: 'busy', message: 'Another one is under way.' });
    expect(await asked).toEqual({ ok: false, code: 'busy', message: 'Another one is under way.' });
  });

  it('reject an answer that violates its schema', async () => {
    const { called, held, send } = line();
    const asked = adminCalls(held, () => undefined).ask('judgePin', { pin: '1' });
    send({ call: called[0]?.call, ok: true, output: { why: 'no' } });
    expect(await asked).toMatchObject({ ok: false, code: 'failed' });
  });

  it('drop messages that violate their schema', () => {
    const { held, send } = line();
    const told: AdminNews[] = [];
    adminCalls(held, (message) => told.push(message));
    for (const message of [
      null,
      7,
      {},
      { tell: 'news', value: { kind: 'connection-step', step: {} } },
      { call: 99, ok: true, output: 1 },
    ])
      send(message);
    expect(told).toEqual([]);
  });
});
