import { MessageChannel, type MessagePort } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createRpcClient,
  holdPort,
  oneWaySender,
  type RpcContract,
  RpcError,
  type RpcPort,
  serveRpc,
} from './rpc';

const contract = {
  calls: {
    double: { input: z.number(), output: z.number() },
    never: { input: z.null(), output: z.null() },
    lie: { input: z.null(), output: z.literal('truth') },
    fail: { input: z.string(), output: z.null() },
  },
  errorCode: z.enum(['invalid', 'unknown-command', 'refused', 'failed']),
  fromClient: { count: z.int() },
  fromServer: { news: z.string().max(10) },
} as const satisfies RpcContract;

const portOf = (port: MessagePort): RpcPort => ({
  send: (message) => port.postMessage(message),
  onMessage: (listener) => port.removeAllListeners('message').on('message', listener).unref(),
});

/** A server on a real message channel. */
function served() {
  const { port1, port2 } = new MessageChannel();
  const counted: number[] = [];
  const invalid: string[] = [];
  const server = portOf(port2);
  serveRpc(contract, server, {
    commands: {
      double: (value) => 2 * value,
      never: () => new Promise(() => {}),
      lie: () => 'no truth' as 'truth',
      fail(code) {
        if (code === 'broken') throw new TypeError('broken');
        throw new RpcError(code, 'because');
      },
    },
    received: { count: (value) => void counted.push(value) },
    onInvalid: (problem) => void invalid.push(problem),
  });
  return { port: portOf(port1), tell: oneWaySender(server, contract.fromServer), counted, invalid };
}

function client(schedule: (ms: number, run: () => void) => () => void = () => () => {}) {
  const news: string[] = [];
  const invalid: string[] = [];
  const made = createRpcClient(contract, {
    received: { news: (text) => void news.push(text) },
    onInvalid: (problem) => void invalid.push(problem),
    deadline: { ms: 50, schedule },
  });
  return { ...made, news, invalid };
}

describe('a call', () => {
  it('gets the answer to its own input, however many run', async () => {
    const { port } = served();
    const { connect, call } = client();
    connect(port);
    const values = Array.from({ length: 100 }, (_, index) => index);
    expect(await Promise.all(values.map((value) => call('double', value)))).toEqual(
      values.map((value) => ({ ok: true, output: 2 * value })),
    );
  });

  it.each([
    ['input that breaks the contract', 'double', 'two' as never, 'invalid'],
    ['a command that nobody knows', 'toString' as never, null as never, 'unknown-command'],
    ['a command that is refused', 'fail', 'refused', 'refused'],
    ['an error of another kind', 'fail', 'broken', 'failed'],
    ['an output that breaks the contract', 'lie', null, 'malformed-answer'],
    ['a code that the contract does not know', 'fail', 'secret', 'malformed-answer'],
  ] as const)('with %s gets an error code', async (_case, command, input, code) => {
    const { connect, call } = client();
    connect(served().port);
    expect(await call(command, input as never)).toMatchObject({ ok: false, code });
  });

  it('waits for a port, and is lost with its port', async () => {
    const { connect, disconnect, call } = client();
    const early = call('double', 1);
    connect(served().port);
    expect(await early).toEqual({ ok: true, output: 2 });
    const lost = call('never', null);
    connect(served().port);
    const kept = call('double', 3);
    expect(await lost).toMatchObject({ ok: false, code: 'lost' });
    expect(await kept).toEqual({ ok: true, output: 6 });
    disconnect();
    const waits = call('double', 4);
    connect(served().port);
    expect(await waits).toEqual({ ok: true, output: 8 });
  });

  it('ends at its deadline, and is then neither sent nor answered any more', async () => {
    const due: Array<() => void> = [];
    const { connect, call } = client((_ms, run) => {
      due.push(run);
      return () => {};
    });
    const late = call('double', 1);
    for (const run of due) run();
    expect(await late).toMatchObject({ ok: false, code: 'timeout' });
    const sent: unknown[] = [];
    connect({ send: (message) => sent.push(message), onMessage() {} });
    expect(sent).toEqual([]);
  });

  it('has exactly one reply, for any events of ports and deadlines', async () => {
    const step = fc.constantFrom('call', 'connect', 'disconnect', 'answer', 'answer twice', 'deadline');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const due: Array<() => void> = [];
        const { connect, disconnect, call } = client((_ms, run) => {
          due.push(run);
          return () => {};
        });
        let hear: (message: unknown) => void = () => {};
        let sent: number[] = [];
        const replies: number[] = [];
        for (const each of steps) {
          if (each === 'call') void call('double', 1).then(() => replies.push(1));
          if (each === 'connect')
            connect({
              send: (message) => sent.push((message as { call: number }).call),
              onMessage: (listener) => (hear = listener),
            });
          if (each === 'disconnect') disconnect();
          if (each.startsWith('answer')) {
            for (const number of each === 'answer' ? sent : [...sent, ...sent])
              hear({ call: number, ok: true, output: 2 });
            sent = [];
          }
          if (each === 'deadline') due.shift()?.();
        }
        for (const run of due) run();
        await new Promise((done) => setImmediate(done));
        expect(replies).toHaveLength(steps.filter((each) => each === 'call').length);
      }),
    );
  });
});

describe('a one-way message', () => {
  it('arrives in order, both ways', async () => {
    const { port, tell, counted } = served();
    const { connect, tell: count, news } = client();
    connect(port);
    for (let value = 0; value < 50; value += 1) count('count', value);
    for (let value = 0; value < 50; value += 1) tell('news', `${value}`);
    await expect.poll(() => news.length).toBe(50);
    await expect.poll(() => counted.length).toBe(50);
    expect(news.map(Number)).toEqual(counted);
    expect(counted).toEqual([...counted].sort((a, b) => a - b));
  });

  it('that violates its schema throws at the sender', () => {
    const { port, tell } = served();
    const { connect, tell: count } = client();
    connect(port);
    expect(() => count('count', 1.5)).toThrow();
    expect(() => tell('news', 'longer than ten')).toThrow();
  });

  it('that violates its schema is dropped by the receiver, and reported', async () => {
    const { port, counted, invalid } = served();
    const junk = [null, 7, 'count', [], {}, { tell: 'count', value: 'x' }, { tell: '__proto__', value: 1 }];
    for (const message of [...junk, { tell: 'count', value: 9 }]) port.send(message);
    await expect.poll(() => counted).toEqual([9]);
    expect(invalid).toHaveLength(junk.length);

    const to = client();
    let hear: (message: unknown) => void = () => {};
    to.connect({ send() {}, onMessage: (listener) => (hear = listener) });
    for (const message of [...junk, { tell: 'news', value: 4 }, { call: 1, ok: 'yes' }]) hear(message);
    expect([to.news, to.invalid.length]).toEqual([[], junk.length + 2]);
    hear({ tell: 'news', value: 'good' });
    expect(to.news).toEqual(['good']);
  });
});

describe('a held port', () => {
  it('buffers messages until the first listener, in order, up to its bound', () => {
    let hear: (message: unknown) => void = () => {};
    let held = 0;
    const port = holdPort({ send() {}, onMessage: (listener) => (hear = listener) }, 3, () => {
      held += 1;
    });
    for (const message of [1, 2, 3, 4]) hear(message);
    expect(held).toBe(4);
    const heard: unknown[] = [];
    port.onMessage((message) => heard.push(message));
    hear(5);
    expect([heard, held]).toEqual([[1, 2, 3, 5], 4]);
  });
});
