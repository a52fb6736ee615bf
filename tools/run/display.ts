import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { execa } from 'execa';
import { findProgram, withParentDeathSignal } from './programs.ts';
import { ensureSystemPackages } from './system-packages.ts';

/** Where Electron's windows appear. */
export interface Display {
  /** As a person would call it. */
  readonly name: string;
  /** An Xvfb that nobody sees. */
  readonly isOurs: boolean;
  /** What Electron's environment needs; undefined values are to be removed. */
  readonly env: NodeJS.ProcessEnv;
  readonly electronArguments: readonly string[];
  /** Ends what was started for it. */
  readonly close: () => Promise<void>;
}

/** px */
export interface ScreenSize {
  readonly width: number;
  readonly height: number;
}

/** The display the session has given us, when it can be used. */
export async function givenDisplay(environment: NodeJS.ProcessEnv = process.env): Promise<Display | null> {
  const given = { isOurs: false, env: {}, electronArguments: [], close: async () => {} };
  if (process.platform !== 'linux') return { ...given, name: 'the desktop' };
  const { WAYLAND_DISPLAY: wayland, XDG_RUNTIME_DIR: runtime, DISPLAY: name } = environment;
  if (wayland && (await accepts(resolve(runtime ?? '/', wayland)))) {
    const electronArguments = ['--ozone-platform=wayland'];
    return { ...given, name: `the Wayland display ${wayland}`, electronArguments };
  }
  if (!name) return null;
  await ensureSystemPackages(['xdpyinfo']);
  // A DISPLAY alone says little: it survives `su`, `sudo` and a closed session.
  if (spawnSync('xdpyinfo', [], { env: environment, timeout: DISPLAY_MS }).status !== 0) return null;
  return { ...given, name: `the display ${name}`, electronArguments: ['--ozone-platform=x11'] };
}

/** Whether somebody listens on a socket. */
async function accepts(path: string): Promise<boolean> {
  const socket = connect(path);
  const answer = once(socket, 'connect').then(
    () => true,
    () => false,
  );
  return await answer.finally(() => socket.destroy());
}

/**
 * An Xauthority file with one cookie, for any display (family 65535, no address, no number): numbers of two bytes,
 * most significant first, and counted strings.
 * @param cookie 16 bytes
 */
const authorityOf = (cookie: Buffer) =>
  Buffer.concat([Buffer.from('\xff\xff\0\0\0\0\0\x12MIT-MAGIC-COOKIE-1\0\x10', 'latin1'), cookie]);

/** So long a display may take to start, or to answer. */
const DISPLAY_MS = 20_000;

/** Starts an Xvfb of our own with a cookie of its own. It ends with `close`, and with us when we are killed. */
export async function startXvfb(
  { width, height }: ScreenSize = { width: 1920, height: 1080 },
): Promise<Display> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-display-'));
  const file = join(folder, 'Xauthority');
  writeFileSync(file, authorityOf(randomBytes(16)), { mode: 0o600 });
  const [program, ...args] = withParentDeathSignal([
    findProgram('Xvfb') ?? 'Xvfb',
    ...['-displayfd', '3', '-auth', file, '-nolisten', 'tcp', '-noreset'],
    ...['-screen', '0', `${width}x${height}x24`],
  ]);
  const child = execa(program, args, {
    ...{ stdio: ['ignore', 'ignore', 'pipe', 'pipe'], buffer: { fd3: false } },
    // Its own group: a Ctrl-C in the terminal must not take the screen from a kiosk that is settling.
    ...{ detached: true, cleanup: false, reject: false, forceKillAfterDelay: 3_000 },
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), DISPLAY_MS);
  // Xvfb closes it after the number.
  const number = (await text(child.stdio[3] as Readable).catch(() => '')).trim();
  clearTimeout(timer);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (number === '') {
    remove();
    throw new Error(`Xvfb did not start: ${(await child).stderr || 'no answer'}`);
  }
  return {
    isOurs: true,
    name: `an Xvfb of its own (:${number}, ${width}×${height})`,
    env: {
      ...{ DISPLAY: `:${number}`, XAUTHORITY: file, WAYLAND_DISPLAY: undefined, XDG_SESSION_TYPE: undefined },
      // Without a session there is no bus; the libraries would start one and leave it behind.
      ...{ DBUS_SESSION_BUS_ADDRESS: 'disabled:', NO_AT_BRIDGE: '1' },
    },
    // Without a bus Chromium complains about it line after line. Of an argument that is given twice the last one counts.
    electronArguments: ['--ozone-platform=x11', '--log-level=3'],
    close: async () => {
      child.kill();
      await child;
      remove();
    },
  };
}
