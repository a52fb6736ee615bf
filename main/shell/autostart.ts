import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AdminHome } from '../../shared/admin';
import { writeWholeFile } from '../whole-file';
import { autostartEntry, isEntryOn, withProgram } from './autostart-entry';
import { isManaged } from './service-manager';
import { readStartOptions } from './start-options';

/** Where systemd links the unit while it is enabled. On a desktop it is installed too, and off. */
const WANTED = ['graphical.target', 'multi-user.target'].map(
  (target) => `/etc/systemd/system/${target}.wants/endcap.service`,
);

/**
 * Whether and how the kiosk starts with the machine, as the platform reports it. `service`: by a system service, which
 * the kiosk may not change; `session`: with the desktop session.
 */
type Autostart = AdminHome['autostart'];

export async function readAutostart(): Promise<Autostart> {
  if (process.platform === 'win32' || process.platform === 'darwin') {
    const app = await electronApp();
    return { on: app.getLoginItemSettings(ownItem()).openAtLogin, by: 'session' };
  }
  const isWanted = WANTED.some(existsSync);
  if (isManaged(process.env) || isWanted) return { on: isWanted, by: 'service' };
  return { on: isEntryOn(await readEntry()), by: 'session' };
}

/** Turns the start with the desktop session on or off; resolves to the state afterwards. Never changes a service. */
export async function setAutostart(on: boolean): Promise<Autostart> {
  const before = await readAutostart();
  // An entry that is on may name the program of an earlier version.
  if (before.by === 'service') return before;
  if (process.platform !== 'linux') {
    const app = await electronApp();
    app.setLoginItemSettings({ openAtLogin: on, ...ownItem() });
  } else if (on) {
    const entry = await readEntry();
    const next = before.on ? withProgram(entry, program()) : autostartEntry([program(), ...ownArguments()]);
    if (next === entry) return before;
    await mkdir(dirname(entryFile()), { recursive: true });
    await writeWholeFile(entryFile(), next, 0o644);
  } else if (before.on) {
    await rm(entryFile(), { force: true });
  }
  return readAutostart();
}

/** Loaded only on Windows and macOS: Linux needs nothing of Electron here. */
const electronApp = async () => (await import('electron')).app;

/** The system finds an item only by the path and arguments with which it was set; Electron does not quote these. */
const ownItem = () => ({
  path: program(),
  args: ownArguments().map((argument) => (argument.includes(' ') ? `"${argument}"` : argument)),
});

/** An AppImage is mounted at another path at each start; its runtime names the file. A terminal may be one, too. */
function program(): string {
  const { APPIMAGE: file, APPDIR: mounted } = process.env;
  return file && mounted && process.execPath.startsWith(mounted) ? file : process.execPath;
}

/** Arguments that `ownArguments` does not copy: paths, which it adds, and Chromium's switches for debuggers. */
const NOT_COPIED = /^--(inspect|remote-debugging|(config|data-dir)(=|$))/;

/** Arguments for a start from any folder, without this environment, that has this start's options and files. */
function ownArguments(): string[] {
  const args = process.argv.slice(1);
  // `--config` wins, because it comes later.
  const all = ['--config', process.env.ENDCAP_CONFIG ?? '', ...args];
  const { configPath, dataDir } = readStartOptions(all, process.cwd());
  const isPath = (at: number) => /^--(config|data-dir)$/.test(args[at - 1] ?? '');
  const others = args.filter((argument, at) => !NOT_COPIED.test(argument) && !isPath(at));
  const paths = { '--config': configPath, '--data-dir': dataDir };
  return [...others, ...Object.entries(paths).flatMap(([name, path]) => (path ? [name, path] : []))];
}

const readEntry = () => readFile(entryFile(), 'utf8').catch(() => '');

function entryFile(): string {
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'autostart', 'endcap.desktop');
}
