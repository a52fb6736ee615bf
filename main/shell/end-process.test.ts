import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { WebContents } from 'electron';
import { expect, it } from 'vitest';
import { endProcess } from './end-process';

const contentsOf = (pid: number) =>
  ({ isDestroyed: () => false, getOSProcessId: () => pid }) as unknown as WebContents;

it('ends a process, and is content where it has just ended by itself', async () => {
  const child = spawn('/bin/sh', ['-c', 'exec sleep 600'], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  await once(child, 'spawn');
  endProcess(contentsOf(child.pid ?? 0));
  expect(await exited).toEqual([null, 'SIGKILL']);
  // Waited for, so nobody has this number now.
  expect(() => process.kill(child.pid ?? 0, 0)).toThrow('ESRCH');
  expect(() => endProcess(contentsOf(child.pid ?? 0))).not.toThrow();
});

it('ends nobody where there is no process', () => {
  expect(() => endProcess(contentsOf(0))).not.toThrow();
});
