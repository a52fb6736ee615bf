import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCheckConfig } from '../../main/cli/check-config-command';

const HERE = dirname(fileURLToPath(import.meta.url));
const SCRIPT = join(HERE, 'tree/usr/lib/endcap/updates');
const POSTINST = join(HERE, 'debian/postinst');
const POSTRM = join(HERE, 'debian/postrm');

/** Only ends a script that hangs: a trial starts a thousand programs, which takes a very busy machine minutes. */
const SCRIPT_MS = 280_000;

/** Simulates the machine: time passes only while the script sleeps, and `timeline` says what happens then. */
const PROGRAMS = {
  sleep: `
    read -r t _ < ROOT/proc/uptime; t=$((\${t%.*} + $1)); echo "$t 0" > ROOT/proc/uptime
    [ "$t" -lt 20000 ] || kill "$PPID"
    . ROOT/timeline`,
  systemctl: `
    case "$*" in
      "show -p ActiveState -p InvocationID endcap.service") cat ROOT/unit ;;
      *) echo "systemctl $*" >> ROOT/calls ;;
    esac`,
  'dpkg-query': 'cat ROOT/installed',
  'dpkg-deb': 'case $3 in Package) echo endcap ;; Version) sed 1q "$2" ;; esac',
  dpkg: 'case $1 in --compare-versions) exec /usr/bin/dpkg "$@" ;; *) echo "dpkg $*" >> ROOT/calls ;; esac',
  endcap: '[ "$*" = check-config ] && . ROOT/settings',
  timeout: '[ ! -e ROOT/too-long ] || exit 124; shift 3; exec "$@"',
  'apt-get': 'echo "apt-get $*" >> ROOT/calls; [ ! -e ROOT/apt-fails ]',
};

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'endcap-updates-'));
  for (const folder of [
    'bin',
    'proc',
    'run/endcap',
    'var/lib',
    'var/cache/apt/archives',
    'etc/apt/preferences.d',
  ])
    mkdirSync(join(root, folder), { recursive: true });
  const script = readFileSync(SCRIPT, 'utf8').replace(/^#!.*/, '');
  // A third of the real times, because each second starts several processes.
  const quicker = script.replace(
    /^([A-Z_]+)=(\d+)$/gm,
    (_, name, seconds) => `${name}=${seconds / (seconds > 200 ? 10 : 3)}`,
  );
  programs({ ...PROGRAMS, updates: quicker });
  put('proc/uptime', '1000.52 0\n');
  kiosk({ does: 'playing', started: 100 });
  put('installed', '1.0 installed');
  put('timeline', '');
  put('settings', 'echo "The settings in /etc/endcap/config.json are fit to use."');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a trial', () => {
  it('starts when the kiosk plays or is held, and not for a downgrade', () => {
    updates('begin', '2.0');
    expect([read('var/lib/endcap-updates/trial/from'), read('var/lib/endcap-updates/trial/to')]).toEqual([
      '1.0\n',
      '2.0\n',
    ]);
    expect(calls()).toEqual(['systemctl restart --no-block endcap-trial.service']);

    put('installed', '2.0 installed');
    updates('begin', '1.0');
    expect(there('var/lib/endcap-updates/trial')).toBe(true);
    updates('begin', '0.9');
    expect(there('var/lib/endcap-updates/trial')).toBe(false);
  });

  it('does not start if the kiosk did not play before, because the result would say nothing of the update', () => {
    kiosk({ does: 'down', started: 100 });
    updates('begin', '2.0');
    kiosk({ does: 'off', started: 100 });
    updates('begin', '2.0');
    expect(there('var/lib/endcap-updates/trial')).toBe(false);
  });

  it.each([
    ['a pipe', 'mkfifo "$0"'],
    ['a link', 'echo playing > ROOT/elsewhere; ln -s ROOT/elsewhere "$0"'],
  ])('does not wait for, nor follow, %s that the kiosk has put in place of its word', (_what, put) => {
    rmSync(join(root, 'run/endcap/playing'));
    execFileSync('sh', ['-c', inRoot(put), join(root, 'run/endcap/playing')]);
    expect(updates('begin', '2.0')).toBe(0);
    expect(there('var/lib/endcap-updates/trial')).toBe(false);
  });

  it('starts when the kiosk is only starting over', () => {
    kiosk({ does: 'down', started: 100 });
    put('later', 'ActiveState=active\nInvocationID=200\n');
    put('timeline', inRoot('cp ROOT/later ROOT/unit; echo playing > ROOT/run/endcap/playing'));
    updates('begin', '2.0');
    expect(read('var/lib/endcap-updates/trial/run')).toBe('200\n');
  });

  it('does not start if the settings on the disk cannot be used, because no version would play with them', async () => {
    const broken = await brokenSettings();
    put('var/lib/endcap-updates/taken-back.json', '{}');
    put('settings', broken);
    updates('begin', '2.0');
    expect(there('var/lib/endcap-updates/trial')).toBe(false);
    expect(there('var/lib/endcap-updates/taken-back.json')).toBe(false);

    // Nor does the trial of the update before go on: it would take back the next version.
    put('settings', '');
    updates('begin', '2.0');
    put('installed', '2.0 installed');
    put('settings', broken);
    updates('begin', '3.0');
    expect(there('var/lib/endcap-updates/trial')).toBe(false);
    expect(calls()).toEqual([
      'systemctl restart --no-block endcap-trial.service',
      'systemctl stop endcap-trial.service',
    ]);
  });

  it.each([
    ['cannot run', 'exit 127'],
    ['crashes', 'exit 139'],
    ['finds no settings', 'echo "check-config: no settings were found; the example is …" >&2; exit 1'],
    ['cannot make its folder', 'echo "mktemp: failed to create directory" >&2; exit 1'],
  ])('starts if the check of the settings %s', (_what, check) => {
    put('settings', check);
    updates('begin', '2.0');
    expect(there('var/lib/endcap-updates/trial')).toBe(true);
  });

  it('starts if the check of the settings takes too long', () => {
    put('too-long', '');
    updates('begin', '2.0');
    expect(there('var/lib/endcap-updates/trial')).toBe(true);
  });

  it('starts if something of the kiosk holds the output of the check', () => {
    put('settings', inRoot('/usr/bin/sleep 300 & echo $! > ROOT/holder'));
    expect(updates('begin', '2.0')).toBe(0);
    process.kill(Number(read('holder')));
    expect(there('var/lib/endcap-updates/trial')).toBe(true);
  });

  it('that does not start leaves no report of an older version', () => {
    put('var/lib/endcap-updates/taken-back.json', '{}');
    kiosk({ does: 'off', started: 100 });
    updates('begin', '2.0');
    expect(there('var/lib/endcap-updates/taken-back.json')).toBe(false);
  });

  it('that begins in a safe start asks no more of the update than to draw what a safe start draws', () => {
    kiosk({ does: 'safe', started: 100 });
    trial('at 1010 installed "2.0 installed"; at 1012 kiosk safe 1011');
    expect([1031, 1032]).toContain(time());
    expect(calls().filter((call) => call.startsWith('apt-get'))).toEqual([]);
    kiosk({ does: 'safe', started: 1050 });
    put('installed', '1.0 installed');
    trial('at 1060 installed "2.0 installed"; at 1062 kiosk down 1061');
    expect(calls().at(-2)).toContain('apt-get');
  });

  it('does not count what is drawn in a safe start if the version before played', () => {
    trial('at 1010 installed "2.0 installed"; at 1012 kiosk safe 1011');
    expect(time()).toBeLessThanOrEqual(1056);
    expect(calls().at(-2)).toContain('apt-get');
  });

  it('is whole after a power cut: its files are on the disk before it has its name', () => {
    const isNamed = '[ -e ROOT/var/lib/endcap-updates/trial ]';
    programs({ sync: `${isNamed} || for file; do echo "\${file##*/}" >> ROOT/synced; done` });
    updates('begin', '2.0');
    expect(read('synced').trim().split('\n').sort()).toEqual([
      'from',
      'run',
      'to',
      'trial.new',
      'updates',
      'was',
    ]);
  });

  it('ends in one step: a power cut while its files are removed leaves no part of it', () => {
    const isOfTrial = 'case $file in ROOT/var/lib/endcap-updates/trial*) [ -e "$file" ] ;; *) false ;; esac';
    programs({
      rm: `for file; do ! ${isOfTrial} || { kill -9 "$PPID"; exit; }; done; exec /usr/bin/rm "$@"`,
    });
    expect(trial('at 1010 installed "2.0 installed"; at 1012 kiosk playing 1011')).toBe(null);
    expect(there('var/lib/endcap-updates/trial')).toBe(false);

    rmSync(join(root, 'bin/rm'));
    expect(updates('begin', '3.0')).toBe(0);
    kiosk({ does: 'off', started: 1300 });
    expect(updates('begin', '1.0')).toBe(0);
    expect(there('var/lib/endcap-updates/trial')).toBe(false);
    expect(there('var/lib/endcap-updates/trial.over')).toBe(false);
  });

  it.each(['from', 'to', 'updates'])(
    'of which a power cut left no "%s" is over, and the next one begins',
    (lost) => {
      updates('begin', '2.0');
      rmSync(join(root, 'var/lib/endcap-updates/trial', lost));
      expect(updates('watch')).toBe(0);
      put('installed', '2.0 installed');
      expect(updates('begin', '3.0')).toBe(0);
      expect([read('var/lib/endcap-updates/trial/from'), read('var/lib/endcap-updates/trial/to')]).toEqual([
        '2.0\n',
        '3.0\n',
      ]);
    },
  );

  it('returns to the last good version if the next update comes before its end', () => {
    updates('begin', '2.0');
    put('installed', '2.0 installed');
    kiosk({ does: 'down', started: 1001 });
    appendFileSync(join(root, 'bin/updates'), '# of 2.0\n');
    updates('begin', '3.0');
    // Nothing says that the script of 2.0 is good.
    expect(read('var/lib/endcap-updates/trial/updates')).not.toContain('# of 2.0');
    expect([read('var/lib/endcap-updates/trial/from'), read('var/lib/endcap-updates/trial/to')]).toEqual([
      '1.0\n',
      '3.0\n',
    ]);
  });

  it('succeeds after a minute of playing, and forgets earlier reverts', () => {
    put('var/lib/endcap-updates/taken-back.json', '{}');
    put('etc/apt/preferences.d/endcap-taken-back', 'Package: endcap\n');
    trial(`at 1010 installed "2.0 unpacked"; at 1012 kiosk down 1011; at 1013 installed "2.0 installed"
      at 1020 kiosk playing 1011`);
    expect([1039, 1040]).toContain(time());
    expect(there('var/lib/endcap-updates/trial')).toBe(false);
    expect(there('var/lib/endcap-updates/taken-back.json')).toBe(false);
    expect(there('etc/apt/preferences.d/endcap-taken-back')).toBe(false);
    expect(calls().filter((call) => call.startsWith('apt-get'))).toEqual([]);
  });

  it('reverts a version that has not played two minutes after its first start', () => {
    put('var/cache/endcap/endcap_1.0.deb', '1.0\n');
    trial('at 1010 installed "2.0 installed"; at 1012 kiosk down 1011');
    expect(time()).toBeGreaterThanOrEqual(1051);
    expect(time()).toBeLessThanOrEqual(1054);
    expect(calls().at(-2)).toMatch(
      /^apt-get .*--allow-downgrades --no-remove .*install \S+\/endcap_1\.0\.deb$/,
    );
    expect(calls().at(-1)).toBe('systemctl start --no-block endcap.service');
    expect(read('etc/apt/preferences.d/endcap-taken-back')).toMatch(
      /\nPackage: endcap\nPin: version 2\.0\nPin-Priority: -1\n/,
    );
    expect(JSON.parse(read('var/lib/endcap-updates/taken-back.json'))).toMatchObject({
      bad: '2.0',
      back: '1.0',
    });
    expect(there('var/lib/endcap-updates/trial')).toBe(false);
  });

  it('judges a version whose only start came in the second in which the trial began', () => {
    trial('at 1001 installed "2.0 installed"; at 1001 kiosk down 1000');
    expect(time()).toBeLessThanOrEqual(1044);
    expect(calls().at(-2)).toContain('apt-get');
  });

  it('is reverted by dpkg alone if apt installs nothing', () => {
    put('var/cache/endcap/endcap_1.0.deb', '1.0\n');
    put('apt-fails', '');
    trial('at 1010 installed "2.0 installed"; at 1012 kiosk down 1011');
    expect(calls().at(-2)).toMatch(/^dpkg --force-confold --install \S+\/endcap_1\.0\.deb$/);
    expect(there('var/lib/endcap-updates/trial')).toBe(false);
  });

  it('reverts a version that plays and exits repeatedly', () => {
    // Of each 20 seconds it is down for 6.
    trial(`at 1010 installed "2.0 installed"
      [ "$t" -lt 1012 ] || if [ $((t % 20)) -lt 14 ]; then kiosk playing "$((t / 20 + 1000))"; else kiosk down "$((t / 20 + 1000))"; fi`);
    expect(calls().at(-2)).toContain('apt-get');
    expect(time()).toBeLessThan(1012 + 60);
  });

  it('counts the time in which a version that exits repeatedly shuts down', () => {
    put('var/cache/endcap/endcap_1.0.deb', '1.0\n');
    trial(`at 1010 installed "2.0 installed"
      [ "$t" -lt 1012 ] || if [ $((t % 3)) = 0 ]; then kiosk down "$t"; else kiosk ending 1011; fi`);
    expect(time()).toBeLessThanOrEqual(1012 + 40 + 4);
    expect(calls().at(-2)).toContain('apt-get');
  });

  it('counts no time in which no ad may play or staff have stopped the kiosk', () => {
    trial(`at 1010 installed "2.0 installed"; at 1012 kiosk held 1011
      at 1080 kiosk off 1011; at 1140 kiosk held 1140; at 1200 kiosk playing 1140`);
    expect(time()).toBeGreaterThanOrEqual(1217);
    expect(calls().filter((call) => call.startsWith('apt-get'))).toEqual([]);
  });

  it('counts no time in which a start waits for a display', () => {
    trial(`at 1010 installed "2.0 installed"; at 1012 kiosk down 1011
      at 1012 eval 'echo held > ROOT/run/endcap/playing'; at 1300 kiosk down 1011; at 1302 kiosk playing 1011`);
    expect(time()).toBeGreaterThanOrEqual(1317);
    expect(calls().filter((call) => call.startsWith('apt-get'))).toEqual([]);
  });

  it('finds at opening time that a version does not play', () => {
    trial('at 1010 installed "2.0 installed"; at 1012 kiosk held 1011; at 1100 kiosk down 1100');
    expect(time()).toBeLessThan(1100 + 50);
    expect(calls().at(-2)).toMatch(/apt-get .*install endcap=1\.0$/);
  });

  it('counts no time in which the machine slept', () => {
    trial(`at 1010 installed "2.0 installed"; at 1012 kiosk down 1011
      [ "$t" != 1020 ] || echo "4000 0" > ROOT/proc/uptime; at 4020 kiosk playing 1011`);
    expect([4039, 4040]).toContain(time());
    expect(calls().filter((call) => call.startsWith('apt-get'))).toEqual([]);
  });

  it('continues after the machine was switched off and on', () => {
    updates('begin', '2.0');
    put('installed', '2.0 installed');
    put('proc/uptime', '10.0 0\n');
    kiosk({ does: 'down', started: 8 });
    expect(updates('watch')).toBe(0);
    expect(time()).toBeLessThan(60);
    expect(calls().at(-2)).toMatch(/apt-get .*install endcap=1\.0$/);
  });

  it('waits while somebody installs, however long that takes', () => {
    put('var/lib/dpkg/lock-frontend', '');
    const { ino } = statSync(join(root, 'var/lib/dpkg/lock-frontend'));
    put('proc/locks', `1: POSIX  ADVISORY  WRITE 710 08:01:${ino} 0 EOF\n`);
    trial(
      'at 1001 installed "2.0 unpacked"; at 1200 installed "2.0 installed"; at 1200 rm -f ROOT/proc/locks; at 1201 kiosk playing 1201',
    );
    expect(there('var/lib/endcap-updates/taken-back.json')).toBe(false);
    expect(time()).toBeGreaterThan(1200);
  });

  it('ends if the update was not installed, and reverts an incomplete installation', () => {
    trial('');
    expect(time()).toBeLessThan(1070);
    expect(there('var/lib/endcap-updates/trial')).toBe(false);
    expect(there('var/lib/endcap-updates/taken-back.json')).toBe(false);
    put('proc/uptime', '1000 0\n');
    trial('at 1010 installed "2.0 half-configured"');
    expect(JSON.parse(read('var/lib/endcap-updates/taken-back.json'))).toMatchObject({
      reason: 'it could not be installed',
    });
  });

  it('puts the version before it back after a power cut while dpkg unpacked, and lets it come again', () => {
    put('var/cache/endcap/endcap_1.0.deb', '1.0\n');
    trial('at 1010 installed "1.0 half-installed"');
    expect(calls().at(-2)).toMatch(/^apt-get .*install \S+\/endcap_1\.0\.deb$/);
    expect(there('etc/apt/preferences.d/endcap-taken-back')).toBe(false);
    expect(there('var/lib/endcap-updates/taken-back.json')).toBe(false);
    expect(there('var/lib/endcap-updates/trial')).toBe(false);
  });

  it('ends if staff install the previous version themselves', () => {
    trial(`at 1010 installed "2.0 installed"; at 1012 kiosk down 1011; at 1020 installed "1.0 installed"`);
    expect(there('var/lib/endcap-updates/trial')).toBe(false);
    expect(there('etc/apt/preferences.d/endcap-taken-back')).toBe(false);
    expect(calls().filter((call) => call.startsWith('apt-get'))).toEqual([]);
  });

  it('is tried again by its unit if the revert failed, with one pin for each bad version', () => {
    put('apt-fails', '');
    expect(trial('at 1010 installed "2.0 installed"; at 1012 kiosk down 1011')).not.toBe(0);
    expect(there('var/lib/endcap-updates/trial')).toBe(true);
    rmSync(join(root, 'apt-fails'));
    expect(updates('watch')).toBe(0);
    put('installed', '1.0 installed');
    kiosk({ does: 'playing', started: 1300 });
    put('proc/uptime', '1400 0\n');
    trial('at 1402 installed "3.0 installed"; at 1403 kiosk down 1403', '3.0');
    const pins = read('etc/apt/preferences.d/endcap-taken-back').match(/^Pin: .*/gm);
    expect(pins).toEqual(['Pin: version 2.0', 'Pin: version 3.0']);
  });
});

describe('the restart after an upgrade', () => {
  it.each(['playing', 'safe', 'held'] as const)(
    'is left out, and said so, while a kiosk is %s whose settings on the disk cannot be used',
    async (does) => {
      kiosk({ does, started: 100 });
      put('settings', await brokenSettings());
      updates('begin', '2.0');
      put('installed', '2.0 half-configured');
      expect(updates('waits')).toBe(0);
      expect(said).toBe(
        'endcap 2.0 waits for the next start: the settings cannot be used (sudo endcap check-config)\n',
      );
    },
  );

  it('comes if the settings can be used, by the new version at least', async () => {
    expect(updates('waits')).toBe(1);
    put('settings', await brokenSettings());
    updates('begin', '2.0');
    put('settings', '');
    expect(updates('waits')).toBe(1);
  });

  it.each(['down', 'off'] as const)('comes if the kiosk is %s', async (does) => {
    kiosk({ does, started: 100 });
    put('settings', await brokenSettings());
    expect(updates('waits')).toBe(1);
  });

  it('comes in a trial, which takes back a version that refuses settings with which the one before plays', async () => {
    updates('begin', '2.0');
    put('settings', await brokenSettings());
    expect(updates('waits')).toBe(1);
  });

  const RESTART = ['systemctl --no-block restart endcap.service'];

  it.each([
    [0, 'active', []],
    [1, 'active', RESTART],
    [2, 'active', RESTART],
    // Its display is off.
    [1, 'activating', RESTART],
    [1, 'inactive', []],
    [1, 'failed', []],
  ])(
    'is asked for by the package, which also restarts if there is no answer: %i, %s',
    (answer, state, restarts) => {
      const postinst = readFileSync(POSTINST, 'utf8').replaceAll('/usr/lib/endcap/updates', 'updates');
      programs({
        'systemd-sysusers': '',
        install: '',
        'deb-systemd-helper': '',
        systemctl: `[ "$1" != show ] || echo ${state}\necho "systemctl $*" >> ROOT/calls`,
        updates: `[ "$*" != waits ] || exit ${answer}`,
        postinst: postinst.replace(/^#!.*/, ''),
      });
      mkdirSync(join(root, 'run/systemd/system'), { recursive: true });
      const env = { PATH: `${join(root, 'bin')}:/usr/bin:/bin` };
      execFileSync(join(root, 'bin/postinst'), ['configure', '1.0'], { env });
      expect(calls().filter((call) => call.includes('restart'))).toEqual(restarts);
    },
  );
});

describe('a version that was taken back', () => {
  it.each([
    ['remove', false],
    ['upgrade', true],
  ])('is held no more once Endcap is removed (%s)', (verb, isHeld) => {
    put('etc/apt/preferences.d/endcap-taken-back', 'Package: endcap\nPin: version 2.0\nPin-Priority: -1\n');
    programs({ 'deb-systemd-helper': '', postrm: readFileSync(POSTRM, 'utf8').replace(/^#!.*/, '') });
    execFileSync(join(root, 'bin/postrm'), [verb], { env: { PATH: `${join(root, 'bin')}:/usr/bin:/bin` } });
    expect(there('etc/apt/preferences.d/endcap-taken-back')).toBe(isHeld);
  });
});

describe('a purge', () => {
  it.each([
    ['made by the package', 'ROOT/var/lib/endcap', 'userdel endcap\ngroupdel endcap\n'],
    ['of a person whose log-in has that name', '/home/endcap', ''],
  ])('deletes the user endcap only if it was made by the package (%s)', (_whose, home, deleted) => {
    put('deleted', '');
    programs({
      'deb-systemd-helper': '',
      id: 'echo 998',
      getent: `case $1 in passwd) echo "endcap:x:998:998::${home}:/bin/sh" ;; group) echo "endcap:x:998:" ;; esac`,
      userdel: 'echo "userdel $1" >> ROOT/deleted',
      groupdel: 'echo "groupdel $1" >> ROOT/deleted',
      postrm: readFileSync(POSTRM, 'utf8').replace(/^#!.*/, ''),
    });
    execFileSync(join(root, 'bin/postrm'), ['purge'], {
      env: { PATH: `${join(root, 'bin')}:/usr/bin:/bin` },
    });
    expect(read('deleted')).toBe(deleted);
  });
});

describe('packages for a downgrade', () => {
  it('are kept as apt installs them: the next, the installed, and the last good one', () => {
    for (const version of ['0.8', '0.9', '1.0'])
      put(`var/cache/endcap/endcap_${version}.deb`, `${version}\n`);
    const trialFolder = 'var/lib/endcap-updates/trial';
    put(`${trialFolder}/from`, '0.9\n');
    put('downloads/endcap_2.0_amd64.deb', '2.0\n');
    put('downloads/weston_10.deb', '10\n');
    updates('keep', undefined, `${root}/downloads/weston_10.deb\n${root}/downloads/endcap_2.0_amd64.deb\n`);
    const kept = ['0.8', '0.9', '1.0', '2.0'].filter((version) =>
      there(`var/cache/endcap/endcap_${version}.deb`),
    );
    expect(kept).toEqual(['0.9', '1.0', '2.0']);
  });

  it('are not copied onto themselves during a downgrade', () => {
    put('var/cache/endcap/endcap_1.0.deb', '1.0\n');
    const { ino } = statSync(join(root, 'var/cache/endcap/endcap_1.0.deb'));
    expect(updates('keep', undefined, `${root}/var/cache/endcap/endcap_1.0.deb\n`)).toBe(0);
    expect(statSync(join(root, 'var/cache/endcap/endcap_1.0.deb')).ino).toBe(ino);
  });

  it('are whole after a power cut: they are on the disk before they have their names', () => {
    programs({ sync: 'ls ROOT/var/cache/endcap >> ROOT/kept; echo "sync $(basename "$1")" >> ROOT/calls' });
    put('downloads/endcap_2.0_amd64.deb', '2.0\n');
    updates('keep', undefined, `${root}/downloads/endcap_2.0_amd64.deb\n`);
    expect([calls(), read('kept')]).toEqual([['sync new'], 'new\n']);
  });

  it('include the first version, if apt still has it', () => {
    put('var/cache/apt/archives/endcap_1.0_amd64.deb', '1.0\n');
    expect(updates('keep-installed')).toBe(0);
    expect(there('var/cache/endcap/endcap_1.0.deb')).toBe(true);
    rmSync(join(root, 'var/cache'), { recursive: true });
    expect(updates('keep-installed')).toBe(0);
  });
});

/**
 * Runs a whole trial of an update from 1.0.
 * @param timeline a shell script, run after each second, with `at TIME COMMAND …`
 */
function trial(timeline: string, to = '2.0'): number | null {
  updates('begin', to);
  const words = `
    at() { from=$1; shift; [ "$t" -lt "$from" ] || "$@"; }
    installed() { echo "$1" > ROOT/installed; }
    kiosk() {
      case $1 in playing | held | safe) state=active; echo "$1" > ROOT/run/endcap/playing ;; down) state=activating ;; ending) state=deactivating ;; off) state=inactive ;; esac
      [ "$state" = active ] || rm -f ROOT/run/endcap/playing
      printf 'ActiveState=%s\\nInvocationID=%s\\n' "$state" "$2" > ROOT/unit
    }`;
  put('timeline', inRoot(`${words}\n${timeline}\n`));
  return updates('watch');
}

/** What the script said last on its standard error. */
let said = '';

/** @returns the exit code */
function updates(verb: string, argument?: string, input = ''): number | null {
  const copy = join(root, 'var/lib/endcap-updates/trial/updates');
  const script = verb === 'watch' && existsSync(copy) ? copy : join(root, 'bin/updates');
  const { status, stderr } = spawnSync('sh', [script, verb, ...(argument ? [argument] : [])], {
    env: { PATH: `${join(root, 'bin')}:/usr/sbin:/usr/bin:/sbin:/bin` },
    encoding: 'utf8',
    input,
    timeout: SCRIPT_MS,
  });
  said = stderr;
  expect(stderr.replace(/^endcap .* (?:is taken back|is not tried|waits).*\n/gm, '')).toBe('');
  return status;
}

/** What `endcap check-config` does where the settings cannot be used, as a shell script. */
async function brokenSettings(): Promise<string> {
  const { stderr } = await runCheckConfig([], {
    env: {},
    platform: 'linux',
    dataDir: '/var/lib/endcap',
    readFile: async () => ({ text: '{ "service": ', readableBy: 'kiosk' }),
    openSealed: null,
    hidden: [],
    isOtherUser: false,
    listFolder: async () => {},
    now: () => 0,
  });
  put('broken', stderr);
  return inRoot('echo "[1:ERROR] of Chromium" >&2; cat ROOT/broken >&2; exit 1');
}

type Doing = 'playing' | 'safe' | 'held' | 'down' | 'off';

function kiosk({ does, started }: { does: Doing; started: number }): void {
  const ActiveState = does === 'down' ? 'activating' : does === 'off' ? 'inactive' : 'active';
  put('unit', `ActiveState=${ActiveState}\nInvocationID=${started}\n`);
  rmSync(join(root, 'run/endcap/playing'), { force: true });
  if (ActiveState === 'active') put('run/endcap/playing', `${does}\n`);
}

/**
 * Writes programs in another process. A file that any process has open for writing cannot be executed, and a program
 * that another thread starts just then inherits our open files.
 * @param texts by name
 */
function programs(texts: Record<string, string>): void {
  for (const [name, text] of Object.entries(texts)) put(`texts/${name}`, `#!/bin/sh\n${inRoot(text)}\n`);
  const files = Object.keys(texts).map((name) => join(root, 'texts', name));
  execFileSync('install', ['-m', '0755', '-t', join(root, 'bin'), ...files]);
}

/** @param text its paths of the machine are replaced by those of the test */
function inRoot(text: string): string {
  return text.replaceAll('ROOT', root).replace(/(?<=[\s=<>])\/(?=(?:proc|run|var|etc)\/)/g, `${root}/`);
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function there(path: string): boolean {
  return existsSync(join(root, path));
}

function calls(): string[] {
  return there('calls') ? read('calls').trim().split('\n') : [];
}

function time(): number {
  return Number.parseInt(read('proc/uptime'), 10);
}
