import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePrivateFolder, removePrivateFolder, writePrivateFile } from './ordinary-user.mjs';
import { startedAsRoot } from './places.mjs';
import { endingWithUs, findProgram } from './programs.mjs';
import { makeSharedFolder } from './safe-folders.mjs';
import { FAMILY_WILD, MIT_MAGIC_COOKIE, readXauthority, writeXauthority } from './xauthority.mjs';

/**
 * Where Electron's windows appear.
 * @typedef {object} Display
 * @property {'given' | 'own'} origin `own`: an Xvfb of ours, which nobody sees
 * @property {string} name as a person would call it
 * @property {NodeJS.ProcessEnv} env what Electron's environment needs; undefined values are to be removed
 * @property {string[]} electronArguments
 * @property {() => Promise<void>} close ends what was started for it
 *
 * @typedef {import('./ordinary-user.mjs').User} User
 */

/**
 * The display the session has given us, when whoever runs Electron can use it.
 * @param {User | null} user null: ourselves
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {Promise<Display | null>}
 */
export async function givenDisplay(user, environment = process.env) {
  if (process.platform !== 'linux') {
    return { origin: 'given', name: 'the desktop', env: {}, electronArguments: [], close: async () => {} };
  }
  const wayland = user === null ? waylandSocket(environment) : null;
  if (wayland !== null && (await accepts({ path: wayland }))) {
    return {
      origin: 'given',
      name: `the Wayland display ${environment.WAYLAND_DISPLAY}`,
      env: {},
      electronArguments: ['--ozone-platform=wayland'],
      close: async () => {},
    };
  }
  const name = environment.DISPLAY;
  if (name === undefined || name === '') return null;
  const authority = readIfThere(environment.XAUTHORITY ?? join(homedir(), '.Xauthority'));
  if (!(await xServerAccepts(name, authority))) return null;
  const handed = user === null || authority === null ? null : handOverAuthority(user, authority);
  return {
    origin: 'given',
    name: `the display ${name}`,
    env: { DISPLAY: name, ...(handed === null ? {} : { XAUTHORITY: handed.file }) },
    electronArguments: ['--ozone-platform=x11'],
    close: async () => handed?.remove(),
  };
}

/** @param {NodeJS.ProcessEnv} environment */
function waylandSocket(environment) {
  const name = environment.WAYLAND_DISPLAY;
  if (name === undefined || name === '') return null;
  if (name.startsWith('/')) return name;
  return environment.XDG_RUNTIME_DIR === undefined ? null : join(environment.XDG_RUNTIME_DIR, name);
}

/**
 * @param {User} user
 * @param {Buffer} authority
 */
function handOverAuthority(user, authority) {
  const folder = makePrivateFolder(user, 'display');
  const file = join(folder, 'Xauthority');
  writePrivateFile(user, file, authority);
  return { file, remove: () => removePrivateFolder(user, folder) };
}

const CONNECT_MS = 2_000;

/**
 * @param {import('node:net').NetConnectOpts} address
 * @returns {Promise<boolean>}
 */
function accepts(address) {
  return new Promise((resolve) => {
    const socket = connect(address);
    const done = (/** @type {boolean} */ answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(CONNECT_MS, () => done(false));
    socket.once('error', () => done(false));
    socket.once('connect', () => done(true));
  });
}

/**
 * Whether the X server lets us in with one of the cookies, or with none. A DISPLAY
 * alone says little: it survives `su`, `sudo` and a closed session.
 * @param {string} name such as `:0`, `unix/:0.0`, `localhost:10.0`
 * @param {Buffer | null} authority the content of an Xauthority file
 * @returns {Promise<boolean>}
 */
export async function xServerAccepts(name, authority) {
  const parts = /^(?:unix\/?|([^:]*)):(\d+)(?:\.\d+)?$/.exec(name);
  const number = parts?.[2];
  if (number === undefined) return false;
  const host = parts?.[1];
  const address =
    host === undefined || host === ''
      ? { path: `/tmp/.X11-unix/X${number}` }
      : { host, port: 6000 + Number(number) };
  const cookies = (authority === null ? [] : readXauthority(authority))
    .filter((entry) => entry.name === MIT_MAGIC_COOKIE && (entry.number === '' || entry.number === number))
    .map((entry) => entry.cookie);
  for (const cookie of [...cookies, null]) {
    if (await xHandshake(address, cookie)) return true;
  }
  return false;
}

/**
 * The first exchange of the X protocol: byte order, version 11.0, the cookie; the
 * answer's first byte is 1 when the server lets us in.
 * @param {import('node:net').NetConnectOpts} address
 * @param {Buffer | null} cookie
 * @returns {Promise<boolean>}
 */
function xHandshake(address, cookie) {
  const name = Buffer.from(cookie === null ? '' : MIT_MAGIC_COOKIE, 'latin1');
  const secret = cookie ?? Buffer.alloc(0);
  const head = Buffer.alloc(12);
  head.write('l', 0, 'latin1');
  head.writeUInt16LE(11, 2);
  head.writeUInt16LE(name.length, 6);
  head.writeUInt16LE(secret.length, 8);
  return new Promise((resolve) => {
    const socket = connect(address);
    const done = (/** @type {boolean} */ answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(CONNECT_MS, () => done(false));
    socket.once('error', () => done(false));
    socket.once('close', () => done(false));
    socket.once('data', (/** @type {Buffer} */ answer) => done(answer[0] === 1));
    socket.write(Buffer.concat([head, padded(name), padded(secret)]));
  });
}

/** @param {Buffer} value */
function padded(value) {
  return Buffer.concat([value, Buffer.alloc((4 - (value.length % 4)) % 4)]);
}

const XVFB_START_MS = 20_000;

/**
 * Starts an Xvfb of our own with a cookie of its own. It ends with `close`, and
 * with us when we are killed.
 * @param {{ user?: User | null, width?: number, height?: number }} [options] pixels
 * @returns {Promise<Display>}
 */
export async function startXvfb({ user = null, width = 1920, height = 1080 } = {}) {
  const xvfb = findProgram('Xvfb');
  if (xvfb === null) throw new Error('Xvfb is not installed');
  if (startedAsRoot) {
    // An ordinary user's Xvfb could not give this folder its proper owner and mode.
    makeSharedFolder('/tmp/.X11-unix', 0o1777);
  }
  const folder =
    user === null ? mkdtempSync(join(tmpdir(), 'endcap-display-')) : makePrivateFolder(user, 'display');
  const file = join(folder, 'Xauthority');
  const entry = {
    family: FAMILY_WILD,
    address: Buffer.alloc(0),
    number: '',
    name: MIT_MAGIC_COOKIE,
    cookie: randomBytes(16),
  };
  const authority = writeXauthority([entry]);
  if (user === null) writeFileSync(file, authority, { mode: 0o600 });
  else writePrivateFile(user, file, authority);
  const screen = ['-screen', '0', `${width}x${height}x24`];
  const [command, ...args] = endingWithUs([
    xvfb,
    ...['-displayfd', '3', '-auth', file, '-nolisten', 'tcp', '-noreset', ...screen],
  ]);
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    cwd: '/',
    // Its own group: a Ctrl-C in the terminal must not take the screen from a kiosk that is settling.
    detached: true,
    ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    complaint = `${complaint}${text}`.slice(-2_000);
  });
  const ended = new Promise((/** @type {(value: null) => void} */ resolve) => {
    child.once('error', (error) => {
      complaint += error.message;
      resolve(null);
    });
    child.once('exit', () => resolve(null));
  });
  const number = await Promise.race([firstLine(child.stdio[3]), ended, after(XVFB_START_MS)]);
  const close = async () => {
    child.kill('SIGTERM');
    await Promise.race([ended, after(3_000)]);
    child.kill('SIGKILL');
    if (user === null) rmSync(folder, { recursive: true, force: true });
    else removePrivateFolder(user, folder);
  };
  if (number === null) {
    await close();
    throw new Error(`Xvfb did not start: ${complaint.trim() || 'no answer'}`);
  }
  return {
    origin: 'own',
    name: `an Xvfb of its own (:${number}, ${width}×${height})`,
    env: {
      DISPLAY: `:${number}`,
      XAUTHORITY: file,
      WAYLAND_DISPLAY: undefined,
      XDG_SESSION_TYPE: undefined,
      // Without a session there is no bus; the libraries would start one and leave it behind.
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      NO_AT_BRIDGE: '1',
    },
    electronArguments: ['--ozone-platform=x11'],
    close,
  };
}

/**
 * @param {unknown} stream
 * @returns {Promise<string | null>}
 */
async function firstLine(stream) {
  if (stream === null || stream === undefined) return null;
  const readable = /** @type {import('node:stream').Readable} */ (stream);
  let text = '';
  for await (const chunk of readable) {
    text += chunk;
    if (text.includes('\n')) return text.trim();
  }
  return null;
}

/**
 * @param {number} ms
 * @returns {Promise<null>}
 */
function after(ms) {
  return new Promise((resolve) => {
    setTimeout(() => resolve(null), ms).unref();
  });
}

/** @param {string} path */
function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
