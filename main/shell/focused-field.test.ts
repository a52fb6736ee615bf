import type { WebContents } from 'electron';
import { expect, it } from 'vitest';
import { timers } from '../service/schedule';
import { focusedField, showFocusedField } from './focused-field';

/** As Electron answers for a page that went before a timer asked it. */
const destroyed = {
  get focusedFrame(): never {
    throw new TypeError('Object has been destroyed');
  },
} as unknown as WebContents;

const focused = (executeJavaScript: () => unknown) =>
  ({ focusedFrame: { executeJavaScript } }) as unknown as WebContents;

it('a page that is gone has no field, and cannot end the kiosk', async () => {
  expect(await focusedField(destroyed, timers)).toBeNull();
  expect(await showFocusedField(destroyed, timers)).toBeUndefined();
});

it.each<readonly [string, () => unknown, unknown]>([
  ['says what its field is typed with', async () => 'email', 'email'],
  ['answers with something else', async () => ({ field: 'email' }), null],
  ['fails', () => Promise.reject(new Error('no script here')), null],
  [
    'was disposed of',
    () => {
      throw new Error('Render frame was disposed');
    },
    null,
  ],
])('of a frame that %s the field is known or none', async (_what, run, field) => {
  expect(await focusedField(focused(run), timers)).toBe(field);
});

it('of a guest, which has no focused frame, each frame is asked whether it has the focus', async () => {
  const asked: string[] = [];
  const frame = (answer: unknown) => ({
    executeJavaScript: async (script: string) => {
      asked.push(script);
      return answer;
    },
  });
  const framesInSubtree = [frame(null), frame({ field: 'email' }), frame('number')];
  const guest = { focusedFrame: null, mainFrame: { framesInSubtree } } as unknown as WebContents;
  expect(await focusedField(guest, timers)).toBe('number');
  expect(asked.filter((script) => script.startsWith('document.hasFocus() ? '))).toHaveLength(3);
});
