import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { WebContents } from 'electron';
import { expect, it } from 'vitest';
import { silentLog } from '../../../shared/log';
import { handTurnedTime } from '../../service/testing/hand-turned-time';
import { killNoisyRenderer, noiseMeter } from './noise';

it('a thousand messages or four million characters in a second are allowed, and more are not', async () => {
  const time = handTurnedTime();
  const isTooMuch = noiseMeter(time.schedule);
  const say = (times: number, length: number) =>
    Array.from({ length: times }, () => isTooMuch(length)).filter(Boolean).length;
  expect(say(1_000, 10)).toBe(0);
  expect(say(2, 10)).toBe(2);
  await time.advance(1_000);
  expect(say(4, 1_000_000)).toBe(0);
  expect(isTooMuch(1)).toBe(true);
  await time.advance(1_000);
  expect(isTooMuch(1)).toBe(false);
});

const TOO_MANY = 'a page sent too many messages; its process was killed';

it('a page whose process was killed, and that another window loads again, is killed again', async () => {
  const { schedule } = handTurnedTime();
  const lines: string[] = [];
  const log = { ...silentLog, warn: (event: string) => void lines.push(event) };
  const process = () => spawn('/bin/sh', ['-c', 'exec sleep 600'], { stdio: 'ignore' });
  let child = process();
  const contents = Object.assign(new EventEmitter(), {
    isDestroyed: () => false,
    getOSProcessId: () => child.pid ?? 0,
  });
  const hear = killNoisyRenderer(contents as unknown as WebContents, schedule, log);
  for (const _ of ['at first', 'again']) {
    const exited = once(child, 'exit');
    await once(child, 'spawn');
    for (let said = 0; said < 1_000; said += 1) hear('x');
    expect(lines).toEqual([]);
    for (const word of ['one too many', 'and more that had been sent']) hear(word);
    expect(await exited).toEqual([null, 'SIGKILL']);
    expect(lines.splice(0)).toEqual([TOO_MANY]);
    child = process();
    contents.emit('render-process-gone');
  }
  child.kill();
});

it.each([
  ['console-message', { message: 'x' }],
  ['page-title-updated', {}, 'x'],
  ['page-favicon-updated', {}, ['x']],
  ['did-change-theme-color', {}, null],
  ['will-frame-navigate', { url: 'https://a.test/' }],
])('a page is killed for more than a thousand messages of %s', (name, ...message) => {
  const lines: string[] = [];
  const log = { ...silentLog, warn: (event: string) => void lines.push(event) };
  const contents = Object.assign(new EventEmitter(), {
    isDestroyed: () => false,
    // No process has such an id.
    getOSProcessId: () => 2 ** 30,
  });
  killNoisyRenderer(contents as unknown as WebContents, handTurnedTime().schedule, log);
  for (let said = 0; said < 1_000; said += 1) contents.emit(name, ...message);
  expect(lines).toEqual([]);
  contents.emit(name, ...message);
  expect(lines).toEqual([TOO_MANY]);
});
