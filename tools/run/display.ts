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
  /** Its name in messages. */
  readonly name: string;
  /** Whether it is an Xvfb that we started, which nobody sees. */
  readonly isOurs: boolean;
  /** Environment variables for Electron; undefined ones are removed. */
  readonly env: NodeJS.ProcessEnv;
  readonly electronArguments: readonly string[];
  /** Ends the programs that were started for it. */
  readonly close: () => Promise<void>;
}

/** px */
export interface ScreenSize {
  readonly width: number;
  readonly height: number;
}

/** The display of this session; null if it has none that can be used. */
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
  // A DISPLAY variable alone proves nothing: it survives `su`, `sudo` and a closed session.
  if (spawnSync('xdpyinfo', [], { env: environment, timeout: DISPLAY_MS }).status !== 0) return null;
  return { ...given, name: `the display ${name}`, electronArguments: ['--ozone-platform=x11'] };
}

/** Whether a program accepts connections on a socket. */
async function accepts(path: string): Promise<boolean> {
  const socket = connect(path);
  const answer = once(socket, 'connect').then(Boolean, () => false);
  return await answer.finally(() => socket.destroy());
}

/**
 * An Xauthority file with one cookie, for any display (family 65535, no address, no number): numbers of two bytes,
 * most significant first, and counted strings.
 * @param cookie 16 bytes
 */
const authorityOf = (cookie: Buffer) =>
  Buffer.concat([Buffer.from('\xff\xff\0\0\0\0\0\x12MIT-MAGIC-COOKIE-1\0\x10', 'latin1'), cookie]);

/** Longest time for a display to start or to answer. */
const DISPLAY_MS = 20_000;

/** Starts an Xvfb with its own cookie. It ends with `close`, and when this process is killed. */
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
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    buffer: { fd3: false },
    // A process group of its own, because a Ctrl-C in the terminal must not end the display of a kiosk that is
    // settling.
    detached: true,
    cleanup: false,
    reject: false,
    forceKillAfterDelay: 3_000,
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), DISPLAY_MS);
  // Xvfb writes its number and closes the pipe.
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
      DISPLAY: `:${number}`,
      XAUTHORITY: file,
      WAYLAND_DISPLAY: undefined,
      XDG_SESSION_TYPE: undefined,
      // There is no session, so no bus. Without this value, libraries would start one and leave it behind.
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      NO_AT_BRIDGE: '1',
    },
    // Without a bus, Chromium logs many errors about that. If an argument is repeated, the last one counts.
    electronArguments: ['--ozone-platform=x11', '--log-level=3'],
    close: async () => {
      child.kill();
      await child;
      remove();
    },
  };
}
