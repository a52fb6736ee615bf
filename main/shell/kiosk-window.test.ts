import { EventEmitter } from 'node:events';
import type { BrowserWindow } from 'electron';
import { expect, it, vi } from 'vitest';
import { KIOSK_ORIGIN, STAGE_CHANNEL } from '../../shared/channels';
import { silentLog } from '../../shared/log';
import { superviseKioskWindow } from './kiosk-window';

const { ipcMain } = vi.hoisted(() => {
  const listeners: ((event: object, message: unknown) => void)[] = [];
  return {
    ipcMain: {
      on: (_channel: string, listener: (event: object, message: unknown) => void) => listeners.push(listener),
      off() {},
      hear: (event: object, message: unknown) => {
        for (const listener of listeners) listener(event, message);
      },
    },
  };
});
vi.mock('electron', () => ({ app: { quit() {} }, ipcMain, screen: { on() {}, off() {} } }));

const frame = { origin: KIOSK_ORIGIN };

/** A window whose page can speak to main. */
function pretendWindow() {
  const sent: unknown[] = [];
  const webContents = Object.assign(new EventEmitter(), {
    mainFrame: frame,
    isDestroyed: () => false,
    send: (channel: string, message: unknown) => void sent.push([channel, message]),
  });
  let isDestroyed = false;
  let isMinimised = false;
  const window = Object.assign(new EventEmitter(), {
    webContents,
    isDestroyed: () => isDestroyed,
    isVisible: () => true,
    isMinimized: () => isMinimised,
    minimize() {
      isMinimised = true;
      window.emit('minimize');
    },
    restore() {
      isMinimised = false;
      window.emit('restore');
    },
    destroy() {
      isDestroyed = true;
    },
  });
  return {
    window: window as unknown as BrowserWindow,
    sent,
    isReady: () =>
      ipcMain.hear({ sender: webContents, senderFrame: frame }, { tell: 'stage', value: { type: 'ready' } }),
  };
}

function pretendScreen({ kiosk = false } = {}) {
  const windows = [pretendWindow(), pretendWindow(), pretendWindow()];
  const made = windows.values();
  const make = () => made.next().value?.window as BrowserWindow;
  const sign = { started() {}, heard() {}, mayBeSilent: () => undefined, end() {} };
  const screen = superviseKioskWindow({
    first: make(),
    make,
    mayReplace: () => true,
    log: silentLog,
    liveness: { register: () => ({ ...sign, lastHeard: () => null, silentMs: () => null }) },
    kiosk,
    display: () => ({}) as never,
  });
  return { screen, windows };
}

/** A listener that notes the types of events. */
function listener() {
  const heard: string[] = [];
  const ignored = () => {};
  return {
    heard,
    onEvent: ({ type }: { type: string }) => void heard.push(type),
    onVisible: (isVisible: boolean) => void heard.push(isVisible ? 'visible' : 'hidden'),
    onLost: ignored,
    onLink: ignored,
    onInput: ignored,
    onDisplay: ignored,
    onHarm: () => true,
  };
}

it('a player that listens late hears once that the page is ready, however many pages there were', () => {
  const { screen, windows } = pretendScreen();
  for (const { isReady } of windows) {
    isReady();
    if (windows.at(-1)?.isReady !== isReady) screen.replace();
  }
  const late = listener();
  screen.listen(late);
  expect(late.heard).toEqual(['ready']);
});

it('a player hears nothing while the page that took over is not ready', () => {
  const { screen, windows } = pretendScreen();
  windows[0]?.isReady();
  screen.replace();
  const late = listener();
  screen.listen(late);
  expect(late.heard).toEqual([]);
  windows[1]?.isReady();
  expect(late.heard).toEqual(['ready']);
});

it('each page that takes over gets what is kept, and nothing before it is ready', () => {
  const { screen, windows } = pretendScreen();
  screen.keep({ type: 'message', title: 'one', text: 'two' });
  expect(windows[0]?.sent).toEqual([]);
  windows[0]?.isReady();
  screen.replace();
  windows[1]?.isReady();
  const message = { tell: 'stage', value: { type: 'message', title: 'one', text: 'two' } };
  for (const window of windows.slice(0, 2)) expect(window.sent).toEqual([[STAGE_CHANNEL, message]]);
});

it('what breaks the contract is kept for no later page', () => {
  const { screen, windows } = pretendScreen();
  windows[0]?.isReady();
  const announcement = { text: 'All is well.', severity: 'warning', language: 'x'.repeat(65) } as const;
  expect(() => screen.keep({ type: 'announcement', announcement })).toThrow();
  screen.replace();
  windows[1]?.isReady();
  expect(windows[1]?.sent).toEqual([]);
});

it('a player that listens late hears that the window is hidden, before it hears that the page is ready', () => {
  const { screen, windows } = pretendScreen();
  windows[0]?.isReady();
  windows[0]?.window.emit('hide');
  const late = listener();
  screen.listen(late);
  expect(late.heard).toEqual(['hidden', 'ready']);
  windows[0]?.window.emit('show');
  expect(late.heard).toEqual(['hidden', 'ready', 'visible']);
});

it('a kiosk window that is minimised is shown again at once, and the player hears of both', () => {
  const { screen, windows } = pretendScreen({ kiosk: true });
  const player = listener();
  screen.listen(player);
  windows[0]?.window.minimize();
  expect(windows[0]?.window.isMinimized()).toBe(false);
  expect(player.heard).toEqual(['hidden', 'visible']);
});
