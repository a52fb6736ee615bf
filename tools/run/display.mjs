import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { findProgram, withParentDeathSignal } from './programs.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

/**
 * Where Electron's windows appear.
 * @typedef {object} Display
 * @property {string} name as a person would call it
 * @property {boolean} isOurs an Xvfb that nobody sees
 * @property {NodeJS.ProcessEnv} env what Electron's environment needs; undefined values are to be removed
 * @property {string[]} electronArguments
 * @property {() => Promise<void>} close ends what was started for it
 */

/**
 * The display the session has given us, when we can use it.
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {Promise<Display | null>}
 */
export async function givenDisplay(environment = process.env) {
  const given = { isOurs: false, env: {}, electronArguments: [], close: async () => {} };
  if (process.platform !== 'linux') return { ...given, name: 'the desktop' };
  const { WAYLAND_DISPLAY: wayland, XDG_RUNTIME_DIR: runtime, DISPLAY: name } = environment;
  if (wayland && (await accepts(resolve(runtime ?? '/', wayland)))) {
    return {
      ...given,
      name: `the Wayland display ${wayland}`,
      electronArguments: ['--ozone-platform=wayland'],
    };
  }
  if (!name) return null;
  await ensureSystemPackages({ executable: null, programs: ['xdpyinfo'] });
  // A DISPLAY alone says little: it survives `su`, `sudo` and a closed session.
  if (spawnSync('xdpyinfo', [], { env: environment, timeout: DISPLAY_MS }).status !== 0) return null;
  return { ...given, name: `the display ${name}`, electronArguments: ['--ozone-platform=x11'] };
}

/**
 * @param {string} path of a socket
 * @returns {Promise<boolean>}
 */
function accepts(path) {
  return new Promise((done) => {
    const socket = connect(path, () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}

/**
 * An Xauthority file with one cookie, for any display (family 65535, no address, no number): numbers of two bytes,
 * most significant first, and counted strings.
 * @param {Buffer} cookie 16 bytes
 */
const authorityOf = (cookie) =>
  Buffer.concat([Buffer.from('\xff\xff\0\0\0\0\0\x12MIT-MAGIC-COOKIE-1\0\x10', 'latin1'), cookie]);

/** So long a display may take to start, or to answer. */
const DISPLAY_MS = 20_000;

/**
 * Starts an Xvfb of our own with a cookie of its own. It ends with `close`, and
 * with us when we are killed.
 * @param {{ width?: number, height?: number }} [options] pixels
 * @returns {Promise<Display>}
 */
export async function startXvfb({ width = 1920, height = 1080 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-display-'));
  const file = join(folder, 'Xauthority');
  writeFileSync(file, authorityOf(randomBytes(16)), { mode: 0o600 });
  const [command, ...args] = withParentDeathSignal([
    findProgram('Xvfb') ?? 'Xvfb',
    ...['-displayfd', '3', '-auth', file, '-nolisten', 'tcp', '-noreset'],
    ...['-screen', '0', `${width}x${height}x24`],
  ]);
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    // Its own group: a Ctrl-C in the terminal must not take the screen from a kiosk that is settling.
    detached: true,
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), DISPLAY_MS);
  const complaint = child.stderr === null ? '' : text(child.stderr).catch(() => '');
  const ended = new Promise((resolve) => {
    child.once('error', resolve);
    child.once('exit', resolve);
  });
  // Xvfb closes it after the number.
  const told = /** @type {import('node:stream').Readable} */ (child.stdio[3]);
  const number = (await text(told).catch(() => '')).trim();
  clearTimeout(timer);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (number === '') {
    remove();
    throw new Error(`Xvfb did not start: ${(await complaint).trim() || 'no answer'}`);
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
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 3_000).unref();
      await ended;
      remove();
    },
  };
}

/**
 * Does `work` with displays of our own, which are closed after it.
 * @template T
 * @param {Array<{ width: number, height: number }>} screens px
 * @param {(environments: NodeJS.ProcessEnv[]) => Promise<T>} work gets the environment of each display
 * @returns {Promise<T>}
 */
export async function withDisplays(screens, work) {
  /** @type {Display[]} */
  const displays = [];
  try {
    for (const screen of screens) displays.push(await startXvfb(screen));
    return await work(displays.map(({ env }) => env));
  } finally {
    for (const display of displays) await display.close();
  }
}
