import { createContext, runInContext } from 'node:vm';
import type { WebContents } from 'electron';
import { expect, test } from 'vitest';
import { evaluateIn, paintedShare } from './guest-paint';

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

test('a page that throws something large sends main nothing large', async () => {
  const page = createContext({});
  runInContext("dispatchEvent = () => { throw 'x'.repeat(100_000) }", page);
  const executeJavaScript = async (code: string) => runInContext(code, page);
  const contents = { mainFrame: { executeJavaScript } } as unknown as WebContents;
  expect(await evaluateIn(contents, '!!dispatchEvent()')).toBeNull();
});
