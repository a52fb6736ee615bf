import { createContext, runInContext } from 'node:vm';
import type { WebContents } from 'electron';
import { expect, test } from 'vitest';
import { contentSize, paintedShare } from './guest-paint';

const WHITE = [255, 255, 255, 255];
const CLEAR = [0, 0, 0, 0];
const GREEN = [96, 192, 32, 255];
const of = (...points: readonly number[][]) => Uint8Array.from(points.flat());

test.each([
  ['nothing at all', of(), 0],
  ['what is transparent', of(CLEAR, CLEAR), 0],
  ['the white ground', of(WHITE, [250, 248, 252, 255]), 0],
  ['one point of four', of(WHITE, GREEN, CLEAR, WHITE), 0.25],
  ['a black point', of([0, 0, 0, 255]), 1],
  ['a shade that hardly covers', of([0, 0, 0, 60]), 0],
])('the painted share of %s is measured', (_what, bitmap, share) => {
  expect(paintedShare(bitmap)).toBe(share);
});

test.each([
  ['throws something large', 'Math.ceil = () => { throw LARGE }', null],
  // JSON has no NaN.
  ['returns something large', 'Math.ceil = () => LARGE', { width: null, height: null }],
  [
    'resolves to something large',
    'Object.prototype.then = (done) => { delete Object.prototype.then; done(LARGE); }',
    { width: 0, height: 0 },
  ],
])('a page that %s sends main nothing large', async (_what, attack, sent) => {
  const page = createContext({ document: { readyState: 'complete', body: { querySelectorAll: () => [] } } });
  runInContext(`const LARGE = 'x'.repeat(100_000); ${attack}`, page);
  const answers: unknown[] = [];
  const executeJavaScript = async (code: string) => {
    answers.push(await runInContext(code, page));
    return answers.at(-1);
  };
  expect(await contentSize({ mainFrame: { executeJavaScript } } as unknown as WebContents)).toBeNull();
  expect(JSON.parse(JSON.stringify(answers))).toEqual([sent]);
});

test.each([
  ['interactive', false, null],
  ['interactive', true, { width: 300, height: 250 }],
  ['complete', false, { width: 300, height: 250 }],
])(
  'a page that is %s, with its picture complete: %s, has this size: %j',
  async (readyState, complete, size) => {
    const picture = {
      complete,
      tagName: 'IMG',
      childNodes: [],
      getBoundingClientRect: () => ({ width: 300, height: 250, right: 300, bottom: 250 }),
    };
    const page = createContext({
      document: { readyState, images: [picture], body: { querySelectorAll: () => [picture] } },
      getComputedStyle: () => ({ backgroundImage: 'none', backgroundColor: 'transparent' }),
    });
    const executeJavaScript = async (code: string) => runInContext(code, page);
    const contents = { mainFrame: { executeJavaScript } } as unknown as WebContents;
    expect(await contentSize(contents)).toEqual(size);
  },
);
