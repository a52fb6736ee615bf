import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { WebContents } from 'electron';
import { expect, it } from 'vitest';
import { frameProcesses, killByMain, wasKilledByMain } from './page-processes';

const contentsOf = (pid: number) =>
  ({ isDestroyed: () => false, getOSProcessId: () => pid }) as unknown as WebContents;

it('kills a process, and ignores one that has already ended', async () => {
  const child = spawn('/bin/sh', ['-c', 'exec sleep 600'], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  await once(child, 'spawn');
  const contents = contentsOf(child.pid ?? 0);
  expect(wasKilledByMain(contents)).toBe(false);
  killByMain(contents);
  expect(wasKilledByMain(contents)).toBe(true);
  expect(await exited).toEqual([null, 'SIGKILL']);
  // Its exit was awaited, so no process has this id now.
  expect(() => process.kill(child.pid ?? 0, 0)).toThrow('ESRCH');
  expect(() => killByMain(contentsOf(child.pid ?? 0))).not.toThrow();
});

it('does nothing where there is no process', () => {
  expect(() => killByMain(contentsOf(0))).not.toThrow();
});

const page = (parts: object) => Object.assign(parts, { isDestroyed: () => false }) as unknown as WebContents;

it('the processes of a page are those of its frames that have one', () => {
  const framesInSubtree = [{ osProcessId: 7 }, { osProcessId: 0 }, { osProcessId: 9 }];
  expect(frameProcesses(page({ mainFrame: { framesInSubtree } }))).toEqual([7, 9]);
});

it('a page whose renderer has crashed has no processes, even before it is destroyed', () => {
  const crashed = page({
    get mainFrame(): never {
      throw new Error('Render frame was disposed before WebFrameMain could be accessed');
    },
  });
  expect(frameProcesses(crashed)).toEqual([]);
});
