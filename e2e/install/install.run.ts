import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoService } from '../../main/demo-service/demo-service';
import { LEFT_EXIT_CODE } from '../../main/shell/service-manager';
import { until } from '../until';
import { CleanKiosk, DATA, SECRET, settingsFor, startColourService } from './clean-kiosk';
import type { CleanRoot } from './clean-root';
import { commandsAfter } from './doc-commands';
import { type COLOURS, SHOWN_MS } from './screen-colours';

/** Two packages of the same commit, the second with a higher version. */
const [older, newer] = [packageFrom('ENDCAP_DEB_OLDER'), packageFrom('ENDCAP_DEB_NEWER')];
/** Folder of the downloaded package. */
const DOWNLOADS = '/var/tmp/downloads';
const TEN_COMMANDS = commandsAfter('## Ten commands');
/** Apt may have to fetch and unpack some hundred packages. */
const INSTALL_MS = 280_000;

let kiosk: CleanKiosk;
let root: CleanRoot;
let service: DemoService;

beforeAll(async () => {
  service = await startColourService();
  kiosk = await CleanKiosk.boot();
  root = kiosk.root;
});

afterAll(async () => {
  kiosk?.remove();
  await service?.close();
});

describe('the package on a clean Debian', () => {
  it('is installed by apt with its dependencies', { timeout: INSTALL_MS }, () => {
    expect(TEN_COMMANDS).toHaveLength(10);
    root.run(`mkdir ${DOWNLOADS}`);
    execFileSync('cp', [older, kiosk.at(`${DOWNLOADS}/endcap_1_amd64.deb`)]);
    const settings = settingsFor(service, { clientSecretFile: 'client-secret' });
    kiosk.letType({ 'config.json': settings, 'client-secret': SECRET });
    typed(0, 2);
    root.run(`rm ${DOWNLOADS}/endcap_1_amd64.deb`);
    expect(root.run('dpkg -s endcap')).toContain('Status: install ok installed');
    expect(root.run('dpkg --audit')).toBe('');
  });

  it('has drivers for the compositor, also one that needs no graphics card', () => {
    expect(root.run('ls /usr/lib/*/dri/kms_swrast_dri.so')).not.toBe('');
  });

  it('creates its own user, folders closed to others, and a unit that starts at boot', () => {
    expect(root.run('getent passwd endcap')).toMatch(/:\/var\/lib\/endcap:\/usr\/sbin\/nologin$/m);
    expect(root.run(`stat -c "%n %U:%G %a" ${DATA} /etc/endcap /opt/endcap /opt/endcap/endcap`)).toBe(
      `${DATA} endcap:endcap 700\n/etc/endcap root:endcap 750\n/opt/endcap root:root 755\n/opt/endcap/endcap root:root 755\n`,
    );
    expect(root.run('find /opt/endcap /usr/lib/endcap -perm /6022 -o ! -user root')).toBe('');
    expect(root.run('systemctl is-enabled endcap')).toBe('enabled\n');
    // The package does not start Endcap: the person who installs it decides when to give the console away.
    expect(root.run('systemctl is-active endcap || true')).toBe('inactive\n');
  });

  it('has commands that need no display, for any user', () => {
    expect(root.run('printf 7382 | endcap pin', { user: 'nobody' })).toMatch(/^scrypt\$\S+\n$/);
    expect(root.run('endcap check-config 2>&1 || echo status $?')).toContain('status 1');
    expect(root.run('endcap 2>&1 || echo status $?')).toContain('status 2');
    expect(root.run('find /root /tmp -name "*ndcap*"')).toBe('');
  });

  it('checks settings as the kiosk itself would read them', () => {
    typed(2, 5);
    expect(root.run('endcap check-config 2>&1 || echo status $?')).toMatch(
      /readable by others[\s\S]*status 1/,
    );
    expect(typed(5, 8)).toBe('The settings in /etc/endcap/config.json are fit to use.\n');
    root.run(`rm -r ${DOWNLOADS}`);
  });

  it('plays under its unit, both creatives seen on the display', async () => {
    kiosk.playOnScreen();
    // The start command returns once the kiosk reports that it is ready.
    const [, status = ''] = /Status: "(.+)"/.exec(typed(8, 10)) ?? [];
    kiosk.endTyping();
    await seen('red');
    await seen('blue');
    expect(status).not.toBe('');
  });

  it('has a session for its compositor, and is in its own unit all the same', () => {
    const session = root.run('loginctl show-user endcap --property Display --value').trim();
    expect(root.run(`loginctl show-session ${session} --property Type --value`)).toBe('wayland\n');
    const units = ['endcap/endcap', 'weston'].map((program) =>
      root.run(`cat /proc/$(pgrep -u endcap -o -f ${program})/cgroup`),
    );
    for (const unit of units) expect(unit).toContain('/system.slice/endcap.service');
  });

  it('may restart the computer, and none of the rest that takes a password', { timeout: INSTALL_MS }, () => {
    root.run('apt-get install -y -qq --no-install-recommends polkitd', { timeoutMs: INSTALL_MS });
    const may = (what: string) =>
      root.run(
        `busctl call org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager ${what}`,
        { user: 'endcap' },
      );
    expect([may('CanReboot'), may('CanPowerOff')]).toEqual(['s "yes"\n', 's "challenge"\n']);
    // A technician is logged in as well.
    const others = 'org.freedesktop.login1.reboot-multiple-sessions';
    root.run(`pkcheck --action-id ${others} --process $(pgrep -u endcap -x weston)`);
  });

  it('runs as its user, in the sandbox: no page has namespaces, privileges or system calls of its own choice', () => {
    const processes = endcapProcesses();
    const main = processes.find(({ type }) => type === 'main');
    const pages = processes.filter(({ type }) => type === 'renderer');
    expect(main).toMatchObject({ user: 'endcap', noNewPrivileges: '1' });
    expect(pages.length).toBeGreaterThanOrEqual(2);
    for (const page of pages) {
      expect(page).toMatchObject({
        user: 'endcap',
        seccomp: '2',
        noNewPrivileges: '1',
        capabilities: '0000000000000000',
      });
      expect(page.userNamespace).not.toBe(main?.userNamespace);
      expect(page.pidNamespace).not.toBe(main?.pidNamespace);
      expect(page.netNamespace).not.toBe(main?.netNamespace);
    }
    expect(processes.filter(({ line }) => line.includes('--no-sandbox'))).toEqual([]);
  });

  it('restarts after its main process was killed', () => comesBackAfter('KILL', 'main'));

  it('restarts after its compositor was killed', () => comesBackAfter('KILL', 'weston'));

  it('is restarted by the watchdog of systemd when it hangs', async () => {
    kiosk.dropIn('watchdog', '[Service]\nWatchdogSec=6\n');
    root.run('systemctl restart endcap');
    await comesBackAfter('STOP', 'main');
    expect(root.run('journalctl --no-pager -u endcap')).toContain('Watchdog timeout');
    kiosk.dropIn('watchdog', '');
  });

  it('stays closed when staff leave it, with the console log-in back, even after a restart', async () => {
    // A substitute for the log-in: the clean root has no console for a real one.
    const getty = '/etc/systemd/system/getty@tty1.service';
    kiosk.put(getty, '[Service]\nType=exec\nExecStart=/bin/sleep infinity\n');
    // A substitute for Endcap: it runs until it is asked to leave, as by the overlay.
    kiosk.put(
      '/usr/local/bin/leaving-kiosk',
      `#!/bin/sh\nsystemd-notify READY=1 WATCHDOG=1\nuntil [ -e /run/endcap/leave ]; do sleep 0.1; done\nexit ${LEFT_EXIT_CODE}\n`,
    );
    root.run('chmod 0755 /usr/local/bin/leaving-kiosk');
    kiosk.dropIn(
      'leaving',
      '[Service]\nEnvironment=ENDCAP_PROGRAM=/usr/local/bin/leaving-kiosk\nWatchdogSec=0\n',
    );
    const states = () =>
      root.run('systemctl is-active endcap endcap-seat getty@tty1 || true').trim().split('\n');

    root.run('systemctl restart endcap');
    expect(states()).toEqual(['active', 'active', 'inactive']);
    const restarts = restartCount();
    root.run('touch /run/endcap/leave');
    await until(() => states().join() === 'inactive,inactive,active', SHOWN_MS, 'the log-in on the console');
    expect(restartCount()).toBe(restarts);

    kiosk.dropIn('leaving', '');
    root.run('systemctl start endcap');
    expect(states()).toEqual(['active', 'active', 'inactive']);
    await seen('red');
    root.run('systemctl restart endcap');
    expect(states()).toEqual(['active', 'active', 'inactive']);
    root.run(`rm ${getty} /usr/local/bin/leaving-kiosk; systemctl daemon-reload`);
    await seen('blue');
  });

  it('prints its plays on the command line, for root and its own user only', async () => {
    const told = root.run('endcap export-plays').trim().split('\n');
    expect(told.length).toBeGreaterThan(2);
    for (const line of told) expect(JSON.parse(line)).toHaveProperty('outcome');
    expect(root.run('endcap export-plays 2>&1 || echo status $?', { user: 'nobody' })).toContain('status 1');
    // The umask of the unit does not keep the port from those who may pass through the data folder.
    expect(root.run(`stat -c %a ${DATA}/signals-port`)).toBe('644\n');
  });

  it('is upgraded to a second build and back, its books intact', { timeout: INSTALL_MS }, async () => {
    for (const next of [newer, older]) {
      await settledPlays(2);
      const before = plays();
      const mainBefore = mainProcess();
      install(next);
      await until(() => mainProcess() !== null && mainProcess() !== mainBefore, SHOWN_MS, 'a new start');
      await seen('red');
      await seen('blue');
      const after = plays();
      expect(before.filter((play) => !after.includes(play))).toEqual([]);
      await until(async () => plays().length > after.length, SHOWN_MS, 'more plays');
    }
  });

  it('keeps secrets out of log, journal, crash dumps and data folder', async () => {
    root.run(`kill -SEGV ${mainProcess()}`);
    await seen('red');
    root.run('systemctl stop endcap');
    const token = kiosk.read(`${DATA}/signals-token`).trim();
    expect(token.length).toBeGreaterThan(30);
    root.run(`printf "%s\\n" "${SECRET}" > /run/secret; printf "%s\\n" "${token}" > /run/token`);
    const places = `${DATA} /var/log /var/crash /var/lib/systemd/coredump /tmp /run/endcap`;
    expect(root.run(`grep -rlaFf /run/secret ${places} 2>/dev/null || true`)).toBe('');
    expect(root.run(`grep -rlaFf /run/token ${places} 2>/dev/null || true`)).toBe(`${DATA}/signals-token\n`);
    const journal = root.run('journalctl --no-pager -u endcap');
    expect(journal).toContain('Endcap ended in order');
    expect(journal).not.toContain(SECRET);
    expect(journal).not.toContain(token);
    root.run('systemctl start endcap');
    await seen('blue');
  });

  it('leaves only its data when it is removed', { timeout: INSTALL_MS }, () => {
    root.run('apt-get remove -y -qq endcap');
    expect(endcapProcesses()).toEqual([]);
    // Settings and data belong to the operator. That the unit was enabled is kept, as for every Debian
    // package.
    expect(traces()).toEqual([
      '/etc/apt/apt.conf.d/50endcap',
      '/etc/default/endcap',
      '/etc/endcap',
      '/etc/pam.d/endcap',
      '/etc/systemd/system/endcap-seat.service.d',
      '/etc/systemd/system/endcap.service',
      '/etc/systemd/system/endcap.service.d',
      '/etc/systemd/system/graphical.target.wants/endcap.service',
      DATA,
    ]);
    expect(root.run('systemctl is-enabled endcap 2>&1 || true')).toContain('masked');
    expect(existsSync(kiosk.at(`${DATA}/books.json`))).toBe(true);
  });

  it('is installed again, and finds its books, which a user of another number left', {
    timeout: INSTALL_MS,
  }, async () => {
    root.run(`chown -R 4242:4242 ${DATA}`);
    install(newer);
    expect(root.run('systemctl is-enabled endcap')).toBe('enabled\n');
    root.run('systemctl start endcap');
    await seen('red');
    expect(plays().length).toBeGreaterThan(10);
  });

  it('leaves nothing when it is purged', { timeout: INSTALL_MS }, () => {
    // logind keeps the user manager of the kiosk's session for 10 s after the session ended.
    root.run('pgrep -u endcap -x systemd');
    root.run('apt-get purge -y -qq endcap');
    expect(endcapProcesses()).toEqual([]);
    expect(traces()).toEqual([]);
    expect(root.run('getent passwd endcap || getent group endcap || echo none')).toBe('none\n');
    expect(root.run('find / -xdev \\( -nouser -o -nogroup \\) -print')).toBe('');
    expect(root.run('systemctl list-unit-files "endcap*" --no-legend || true')).toBe('');
  });
});

function packageFrom(variable: string): string {
  const path = process.env[variable];
  if (!path) throw new Error(`${variable} is not set: run this with "npm run install-test"`);
  return path;
}

/** Runs some of the ten commands in the folder of the package; returns their output. */
function typed(from: number, to: number): string {
  const place = existsSync(kiosk.at(DOWNLOADS)) ? DOWNLOADS : '/';
  return root.run(`cd ${place}\n${TEN_COMMANDS.slice(from, to).join('\n')}`, { timeoutMs: INSTALL_MS });
}

/** Installs a package with `apt install ./endcap….deb`, as an operator does. */
function install(deb: string): void {
  execFileSync('cp', [deb, kiosk.at('/var/tmp/endcap.deb')]);
  root.run('apt-get install -y -qq --no-install-recommends --allow-downgrades /var/tmp/endcap.deb', {
    timeoutMs: INSTALL_MS,
  });
  root.run('rm /var/tmp/endcap.deb');
}

const seen = (colour: keyof typeof COLOURS) => kiosk.seen(colour);
const plays = () => kiosk.plays();

/** What is read of a process in the clean root, by name: shell words in its folder of /proc. */
const PROCESS_FIELDS = {
  user: 'stat -c %U .',
  seccomp: "sed -n 's/^Seccomp:\\t//p' status",
  noNewPrivileges: "sed -n 's/^NoNewPrivs:\\t//p' status",
  /** Effective capabilities, a hexadecimal bit mask. */
  capabilities: "sed -n 's/^CapEff:\\t//p' status",
  userNamespace: 'readlink ns/user',
  pidNamespace: 'readlink ns/pid',
  netNamespace: 'readlink ns/net',
};

/** Endcap's processes; `pid` is the process id inside the clean root. */
function endcapProcesses() {
  const fields = Object.entries(PROCESS_FIELDS);
  const script = `
    for folder in /proc/[0-9]*; do
      cd $folder 2>/dev/null && line=$(tr '\\0' ' ' < cmdline 2>/dev/null) || continue
      case $line in /opt/endcap/endcap*) ;; *) continue ;; esac
      echo "\${folder#/proc/}|$line|${fields.map(([, words]) => `$(${words})`).join('|')}"
    done`;
  const rows = root.run(script).trim().split('\n').filter(Boolean);
  return rows.map((row) => {
    const [pid, line = '', ...values] = row.split('|');
    const read = Object.fromEntries(fields.map(([name], index) => [name, values[index] ?? '']));
    const type = /--type=([\w-]+)/.exec(line)?.[1] ?? 'main';
    return { pid: Number(pid), line, type, ...(read as typeof PROCESS_FIELDS) };
  });
}

function mainProcess(): number | null {
  return endcapProcesses().find(({ type }) => type === 'main')?.pid ?? null;
}

async function comesBackAfter(signal: string, victim: 'main' | 'weston'): Promise<void> {
  const before = mainProcess();
  expect(before).not.toBeNull();
  const restarts = restartCount();
  root.run(victim === 'main' ? `kill -${signal} ${before}` : `kill -${signal} $(pgrep -x weston)`);
  await until(() => restartCount() > restarts, SHOWN_MS, 'a restart');
  await seen('red');
  await seen('blue');
  expect(mainProcess()).not.toBe(before);
}

function restartCount(): number {
  return Number(root.run('systemctl show -P NRestarts endcap'));
}

async function settledPlays(more: number): Promise<void> {
  const before = plays().length;
  await until(async () => plays().length >= before + more, SHOWN_MS, `${more} more plays`);
}

/**
 * The topmost path of each file tree that is named after Endcap; dpkg's own files count only once the package
 * is purged.
 */
function traces(): string[] {
  const isPurged = root.run('dpkg -l endcap 2>/dev/null || true') === '';
  const whileKnown = /^\/var\/lib\/(dpkg\/info|systemd\/deb-systemd-helper-)/;
  const found = root
    .run('find / -xdev \\( -path /proc -o -path /sys -o -path /run \\) -prune -o -iname "*endcap*" -print')
    .trim()
    .split('\n')
    .filter(
      (path) => path !== '' && path !== '/etc/endcap-test-base' && (!whileKnown.test(path) || isPurged),
    );
  return found.filter((path) => !found.some((other) => path.startsWith(`${other}/`))).sort();
}
