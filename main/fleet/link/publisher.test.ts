import { expect, test } from 'vitest';
import { handTurnedTime } from '../../service/testing/hand-turned-time';
import { createPublisher } from './publisher';

function world() {
  const time = handTurnedTime();
  const sent: Array<[string, unknown]> = [];
  const results: string[] = [];
  const failed: string[] = [];
  let isBroken = false;
  const publisher = createPublisher({
    schedule: time.schedule,
    monotonic: time.clock.monotonic,
    tell(topic, result) {
      results.push(result);
      if (result === 'failed') failed.push(topic);
    },
  });
  return {
    time,
    sent,
    results,
    failed,
    publisher,
    breakIt: () => (isBroken = true),
    /** A connection that closes over the first message. */
    async closeOver() {
      publisher.connected(() => Promise.reject(new Error('the connection is lost')));
      await time.settle();
      publisher.connected(null);
    },
    connect() {
      isBroken = false;
      publisher.connected(async (topic, payload) => {
        if (isBroken) throw new Error('the connection is lost');
        sent.push([topic, JSON.parse(payload).n]);
      });
    },
  };
}

test('a retained topic publishes its message if it changed or is repeated, and after its pause', async () => {
  const { publisher, sent, time, connect } = world();
  const retain = (n: number, at: number) => publisher.retain('a', { n, at }, 1_000);
  retain(1, 1);
  connect();
  retain(2, 2);
  await time.settle();
  expect(sent).toEqual([['a', 2]]);
  retain(2, 3);
  retain(3, 4);
  await time.advance(999);
  retain(4, 5);
  expect(sent.length).toBe(1);
  await time.advance(1);
  retain(4, 6);
  await time.advance(1_000);
  retain(4, 7);
  expect(sent).toEqual([
    ['a', 2],
    ['a', 4],
  ]);
  publisher.repeat('a');
  retain(4, 8);
  expect(sent.at(-1)).toEqual(['a', 4]);
  expect(sent.length).toBe(3);
});

test('a new connection gets all retained messages again, and unacknowledged answers in order', async () => {
  const { publisher, sent, time, connect, breakIt, results } = world();
  const retain = () => publisher.retain('a', { n: 1 });
  connect();
  retain();
  publisher.answer('r', { n: 10 });
  await time.settle();
  breakIt();
  publisher.answer('r', { n: 11 });
  publisher.answer('r', { n: 12 });
  await time.settle();
  publisher.connected(null);
  sent.length = 0;
  connect();
  retain();
  await time.settle();
  expect(sent.toSorted()).toEqual([
    ['a', 1],
    ['r', 11],
    ['r', 12],
  ]);
  expect(results).toEqual(['sent', 'sent', 'failed', 'sent', 'sent', 'sent']);
});

test('each message that failed is told with its topic', async () => {
  const { publisher, time, connect, breakIt, failed } = world();
  connect();
  breakIt();
  publisher.retain('a', { n: 1 });
  publisher.answer('r', { n: 2 });
  await time.settle();
  expect(failed.sort()).toEqual(['a', 'r']);
});

test('unsent answers are bounded, and the oldest are dropped', async () => {
  const { publisher, sent, time, connect, results } = world();
  for (let n = 0; n < 300; n += 1) publisher.answer('r', { n });
  connect();
  await time.settle();
  expect(sent.length).toBe(200);
  expect(sent[0]).toEqual(['r', 100]);
  expect(results.filter((result) => result === 'dropped').length).toBe(100);
});

test('unsent answers are bounded by their size, too, but the newest one is kept whatever its size', async () => {
  const { publisher, sent, time, connect } = world();
  const long = (n: number, length: number) => publisher.answer('r', { n, text: 'x'.repeat(length) });
  for (const round of [0, 10]) {
    publisher.connected(null);
    for (let n = 0; n < 10; n += 1) long(round + n, 1_000_000);
    connect();
    await time.settle();
    expect(sent.splice(0).map(([, n]) => n)).toEqual([6, 7, 8, 9].map((n) => round + n));
  }
  publisher.connected(null);
  long(20, 5_000_000);
  connect();
  await time.settle();
  expect(sent).toEqual([['r', 20]]);
});

test('onSent is called once, when the broker has acknowledged the answer', async () => {
  const { publisher, time, connect, breakIt } = world();
  let heard = 0;
  connect();
  breakIt();
  publisher.answer('r', { n: 1 }, { onSent: () => (heard += 1) });
  await time.settle();
  expect(heard).toBe(0);
  publisher.connected(null);
  connect();
  await time.settle();
  connect();
  await time.settle();
  expect(heard).toBe(1);
});

test('an answer that closes two connections is replaced by its shorter form, and later answers follow', async () => {
  const { publisher, sent, time, connect, closeOver } = world();
  let heard = 0;
  publisher.answer('r', { n: 1, long: 'x'.repeat(100) }, { onSent: () => (heard += 1), shorter: { n: -1 } });
  publisher.answer('r', { n: 2 }, { shorter: null });
  await closeOver();
  await closeOver();
  expect(heard).toBe(0);
  connect();
  await time.settle();
  expect(sent).toEqual([
    ['r', -1],
    ['r', 2],
  ]);
  expect(heard).toBe(1);
});

test('an answer whose first try fails is sent whole', async () => {
  const { publisher, sent, time, connect, closeOver } = world();
  publisher.answer('r', { n: 1 }, { shorter: { n: -1 } });
  await closeOver();
  connect();
  await time.settle();
  expect(sent).toEqual([['r', 1]]);
});

test('answers that were too long leave their place to later ones', async () => {
  const { publisher, sent, time, connect, closeOver } = world();
  for (let times = 0; times < 5; times += 1) {
    publisher.answer('r', { n: 1, long: 'x'.repeat(1_000_000) }, { shorter: { n: -1 } });
    await closeOver();
    await closeOver();
    connect();
    await time.settle();
    publisher.connected(null);
  }
  sent.length = 0;
  for (const n of [2, 3]) publisher.answer('r', { n });
  connect();
  await time.settle();
  expect(sent).toEqual([
    ['r', 2],
    ['r', 3],
  ]);
});

test('an answer that several connections refused is still tried every ten seconds at most', async () => {
  const { publisher, time } = world();
  let tries = 0;
  publisher.answer('r', { n: 1 });
  for (let connections = 0; connections < 3; connections += 1) {
    publisher.connected(async () => {
      tries += 1;
      throw new Error('Publish error: Not authorized');
    });
    await time.settle();
  }
  expect(tries).toBe(3);
  await time.advance(30_000);
  expect(tries).toBe(6);
});

test('an answer without a shorter form is sent until the broker acknowledges it', async () => {
  const { publisher, sent, time, connect, closeOver } = world();
  publisher.answer('r', { n: 1 }, { shorter: { n: -1 } });
  connect();
  await time.settle();
  publisher.connected(null);
  publisher.answer('r', { n: 2 });
  for (let times = 0; times < 5; times += 1) await closeOver();
  connect();
  await time.settle();
  expect(sent.at(-1)).toEqual(['r', 2]);
  expect(sent).not.toContainEqual(['r', -1]);
});

test('what the broker refuses while the connection lasts is sent again, at most every ten seconds', async () => {
  const { publisher, time } = world();
  const tried: string[] = [];
  let isRefusing = true;
  // MQTT 5: 135 (not authorized) and 151 (quota exceeded) do not close the connection.
  publisher.connected(async (topic) => {
    tried.push(topic);
    if (isRefusing) throw new Error('Publish error: Quota exceeded');
  });
  const retain = () => {
    publisher.retain('a', { n: 1 });
    time.schedule(1_000, retain);
  };
  retain();
  publisher.answer('r', { n: 10 });
  publisher.answer('r', { n: 11 });
  await time.advance(30_000);
  expect(tried.filter((topic) => topic === 'a')).toHaveLength(4);
  expect(tried.filter((topic) => topic === 'r').length).toBeLessThanOrEqual(5);
  isRefusing = false;
  tried.length = 0;
  await time.advance(10_000);
  expect(tried.sort()).toEqual(['a', 'r', 'r']);
  await time.advance(60_000);
  expect(tried).toHaveLength(3);
});

test('all answers are sent once the broker has acknowledged the last of them, or the connection is lost', async () => {
  const { publisher, time } = world();
  const receipts: Array<{ resolve: () => void; reject: (error: Error) => void }> = [];
  publisher.connected(() => new Promise((resolve, reject) => void receipts.push({ resolve, reject })));
  let isOver = false;
  for (const n of [1, 2]) publisher.answer('reply', { n });
  void publisher.answersSent().then(() => (isOver = true));
  receipts[0]?.resolve();
  await time.settle();
  expect([receipts.length, isOver]).toEqual([2, false]);
  receipts[1]?.resolve();
  await time.settle();
  expect(isOver).toBe(true);
  publisher.answer('reply', { n: 3 });
  receipts[2]?.reject(new Error('the connection is lost'));
  await publisher.answersSent();
});

test('an answer that is longer than the broker takes gives way at once to its shorter form, or to later answers', async () => {
  const { publisher, time, results } = world();
  const sent: unknown[] = [];
  publisher.connected(async (_topic, payload) => {
    if (payload.length > 50) throw Object.assign(new Error('too long'), { code: 'too-long-message' });
    sent.push(JSON.parse(payload));
  });
  const long = 'x'.repeat(100);
  publisher.answer('r', { n: 1, long }, { shorter: { n: -1 } });
  publisher.answer('r', { n: 2, long }, { shorter: { n: -2, long } });
  publisher.answer('r', { n: 3, long });
  publisher.answer('r', { n: 4 });
  await time.settle();
  expect(sent).toEqual([{ n: -1 }, { n: 4 }]);
  expect(results.filter((result) => result === 'dropped')).toHaveLength(2);
});
