import { describe, expect, it } from 'vitest';
import type { AdminBridge, AdminCall } from '../../shared/admin';
import { adminCalls, type Told } from './admin-calls';
import { heldLine } from './held-line';

function line() {
  const called: AdminCall[] = [];
  let send: (message: unknown) => void = () => undefined;
  const bridge: AdminBridge = {
    call: (message) => void called.push(message),
    onMessage: (listener) => {
      send = listener;
    },
  };
  let waiting = 0;
  const held = heldLine(bridge, () => {
    waiting += 1;
  });
  return { called, held, send: (message: unknown) => send(message), waiting: () => waiting };
}

const exported: Told = { kind: 'export', export: { state: 'none' } };

describe('the line to main', () => {
  it('keeps what came before anybody listened, in order', () => {
    const { held, send, waiting } = line();
    send(exported);
    send({ kind: 'export', export: { state: 'cancelled', file: 'a.csv' } });
    expect(waiting()).toBe(2);
    const told: Told[] = [];
    adminCalls(held, (message) => told.push(message));
    expect(told).toEqual([exported, { kind: 'export', export: { state: 'cancelled', file: 'a.csv' } }]);
    send(exported);
    expect(told).toHaveLength(3);
    expect(waiting()).toBe(2);
  });
});

describe('calls', () => {
  it('bring every answer to its own caller, whatever the order', async () => {
    const { called, held, send } = line();
    const calls = adminCalls(held, () => undefined);
    const one = calls.ask('exportTargets', null);
    const other = calls.ask('judgePin', { pin: '1234' });
    const [first, second] = called.map(({ call }) => call);
    expect(first).not.toBe(second);
    send({ kind: 'answer', call: second, output: 'sequence' });
    send({ kind: 'answer', call: first, output: [] });
    expect(await one).toEqual({ ok: true, output: [] });
    expect(await other).toEqual({ ok: true, output: 'sequence' });
  });

  it('say why they were refused', async () => {
    const { called, held, send } = line();
    const asked = adminCalls(held, () => undefined).ask('lock', null);
    send({ kind: 'refusal', call: called[0]?.call, code: 'busy', message: 'Another one is under way.' });
    expect(await asked).toEqual({ ok: false, code: 'busy', message: 'Another one is under way.' });
  });

  it('take no answer that breaks the contract', async () => {
    const { called, held, send } = line();
    const asked = adminCalls(held, () => undefined).ask('judgePin', { pin: '1' });
    send({ kind: 'answer', call: called[0]?.call, output: { why: 'no' } });
    expect(await asked).toMatchObject({ ok: false, code: 'failed' });
  });

  it('drop messages that break the contract', () => {
    const { held, send } = line();
    const told: Told[] = [];
    adminCalls(held, (message) => told.push(message));
    for (const message of [null, 7, {}, { kind: 'home', home: {} }, { kind: 'answer', call: 99, output: 1 }])
      send(message);
    expect(told).toEqual([]);
  });
});
