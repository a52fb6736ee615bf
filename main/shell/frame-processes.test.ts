import type { WebContents } from 'electron';
import { expect, test } from 'vitest';
import { frameProcesses } from './frame-processes';

const page = (parts: object) => Object.assign(parts, { isDestroyed: () => false }) as unknown as WebContents;

test('the processes of a page are those of its frames that have one', () => {
  const framesInSubtree = [{ osProcessId: 7 }, { osProcessId: 0 }, { osProcessId: 9 }];
  expect(frameProcesses(page({ mainFrame: { framesInSubtree } }))).toEqual([7, 9]);
});

test('a page whose renderer has crashed but which is not destroyed yet has none, and throws nothing', () => {
  const crashed = page({
    get mainFrame(): never {
      throw new Error('Render frame was disposed before WebFrameMain could be accessed');
    },
  });
  expect(frameProcesses(crashed)).toEqual([]);
});
