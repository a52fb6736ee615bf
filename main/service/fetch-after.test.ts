import { expect, it } from 'vitest';
import { fetchAfter } from './fetch-after';

/** What was asked for, and the `fetch` that notes it. */
function noted(notBefore: Promise<void>) {
  const asked: unknown[] = [];
  const fetch = fetchAfter(notBefore, async (input, init) => {
    asked.push(input);
    init?.signal?.throwIfAborted();
    return new Response('here');
  });
  return { asked, fetch };
}

/** All that can go on by itself has. */
const settled = () => new Promise((resume) => setImmediate(resume));

it('makes no request until it may, then the ones it was asked for, and later ones at once', async () => {
  let allow = () => {};
  const { asked, fetch } = noted(
    new Promise((resolve) => {
      allow = resolve;
    }),
  );
  const answers = [fetch('http://one.example/'), fetch('http://two.example/', { method: 'HEAD' })];
  await settled();
  expect(asked).toEqual([]);
  allow();
  expect(await Promise.all(answers.map(async (answer) => (await answer).text()))).toEqual(['here', 'here']);
  expect(asked).toEqual(['http://one.example/', 'http://two.example/']);
  const third = fetch('http://three.example/');
  expect(asked).toHaveLength(3);
  await third;
});

it('keeps nobody waiting who gives a request up', async () => {
  const { asked, fetch } = noted(new Promise(() => {}));
  const giveUp = new AbortController();
  const given = fetch('http://one.example/', { signal: giveUp.signal });
  await settled();
  expect(asked).toEqual([]);
  giveUp.abort(new Error('the end'));
  await expect(given).rejects.toThrow('the end');
  await expect(fetch('http://two.example/', { signal: giveUp.signal })).rejects.toThrow('the end');
});
