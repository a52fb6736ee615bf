import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoService } from '../../main/demo-service/demo-service';
import { askKiosk } from '../ask-kiosk';
import { until } from '../until';
import { CleanKiosk, DATA, SECRET, settingsFor, startColourService } from './clean-kiosk';
import type { CleanRoot } from './clean-root';
import { commandsAfter } from './doc-commands';
import { PackagingMachine } from './packaging-machine';
import { type COLOURS, captureDuring, SHOWN_MS } from './screen-colours';

/** Apt may have to fetch and unpack some hundred packages. */
const INSTALL_MS = 400_000;
/** A trial takes two minutes; this includes what comes before and after, ms. */
const TRIAL_MS = 600_000;
/** The packages are of one commit, the second with a higher version. */
const packages = [process.env.ENDCAP_DEB_OLDER ?? '', process.env.ENDCAP_DEB_NEWER ?? ''] as const;
const versions = packages.map((file) => (file ? field(file, 'Version') : ''));
const [FIRST = '', SECOND = ''] = versions;
const numbered = (number: number) => SECOND.replace(/2$/, String(number));

/** The commands of docs/install.md for an update of two kiosks. */
const MAKE_REPOSITORY = commandsAfter(
  'On the machine that makes the packages (Debian 12, with these sources and a web server):',
);
const ON_EACH_KIOSK = commandsAfter('On each kiosk:');
const PUBLISH_UPDATE = commandsAfter('An update of both:');

let folder: string;
let machine: PackagingMachine;
let kiosks: CleanKiosk[] = [];
/** The first kiosk and its root; roll-backs are tested on one kiosk only. */
let kiosk: CleanKiosk;
let root: CleanRoot;
let service: DemoService;

beforeAll(async () => {
  if (FIRST === '') throw new Error('run this with "npm run install-test -- upgrade"');
  folder = mkdtempSync(join(tmpdir(), 'endcap-upgrade-'));
  service = await startColourService();
  machine = await PackagingMachine.start(join(folder, 'machine'));
  kiosk = await CleanKiosk.boot();
  root = kiosk.root;
  kiosks.push(kiosk);
  kiosks.push(await CleanKiosk.boot());
});

afterAll(async () => {
  kiosks[0]?.root.run('rm -f /var/cache/apt/archives/endcap*');
  for (const each of kiosks) each.remove();
  await machine?.close();
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('unattended updates on a clean Debian', () => {
  it('take twenty commands for two kiosks, one repository and one update', () => {
    const typed = MAKE_REPOSITORY.length + 2 * ON_EACH_KIOSK.length + PUBLISH_UPDATE.length;
    expect(typed).toBeLessThanOrEqual(20);
  });

  it('are set up by the commands of docs/install.md, on two kiosks', {
    timeout: 2 * INSTALL_MS,
  }, async () => {
    machine.nextPackage = packages[0];
    for (const command of MAKE_REPOSITORY) machine.type(command);
    const settings = settingsFor(service, { clientSecret: SECRET });
    for (const each of kiosks) {
      each.letType({ 'config.json': settings });
      const [last = '', ...before] = machine.addressed(ON_EACH_KIOSK).reverse();
      expect(last).toBe('sudo systemctl start endcap');
      // A folder for the downloads.
      each.root.run('mkdir -p /srv/downloads');
      for (const command of before.reverse())
        each.root.run(`cd /srv/downloads\n${command}`, { timeoutMs: INSTALL_MS });
      each.playOnScreen();
      each.root.run(last);
      each.endTyping();
    }
    for (const each of kiosks) {
      await each.seen('red');
      await each.seen('blue');
      expect(each.installed()).toBe(FIRST);
      // The first roll-back needs this package.
      expect(each.root.run('ls /var/cache/endcap')).toBe(`endcap_${FIRST}.deb\n`);
    }
  });

  it('happen at night, of Endcap alone', () => {
    expect(root.run('systemctl show -P TimersCalendar apt-daily.timer apt-daily-upgrade.timer')).toMatch(
      /OnCalendar=\*-\*-\* 02:00:00 [\s\S]*OnCalendar=\*-\*-\* 03:00:00 /,
    );
    expect(root.run('systemctl show -P Persistent apt-daily.timer apt-daily-upgrade.timer')).toBe(
      'no\n\nno\n',
    );
    const allowed = root.run('unattended-upgrade --dry-run --debug 2>&1 | grep "^Allowed origins are"');
    expect(allowed).toBe('Allowed origins are: origin=Endcap,label=Endcap\n');
  });

  it('install a new version on both with one restart and intact books', {
    timeout: 2 * TRIAL_MS,
  }, async () => {
    const restart = await captureDuring(kiosk.screen, async () => {
      root.run('systemctl restart endcap');
      await seen('red');
      await seen('blue');
    });
    const before = plays();
    const others = otherPackages();
    machine.nextPackage = packages[1];
    for (const command of PUBLISH_UPDATE) machine.type(command);
    const upgrade = await captureDuring(kiosk.screen, async () => {
      update(kiosk);
      await passed(kiosk, SECOND);
      await seen('red');
    });
    console.log(
      `dark at a restart: ${restart.spans.join(', ')} ms; at an update: ${upgrade.spans.join(', ')} ms`,
    );
    // The capture includes at least a minute of the trial.
    expect(upgrade.capturedMs).toBeGreaterThan(60_000);
    expect(upgrade.spans).toHaveLength(1);
    expect(lostOf(before)).toEqual([]);
    expect(otherPackages()).toBe(others);
    expect(root.run('systemctl is-active endcap-trial || true')).toBe('inactive\n');
    const [, other] = kiosks;
    if (!other) throw new Error('there is one kiosk only');
    const playsOfOther = other.plays();
    update(other);
    await passed(other, SECOND);
    await other.seen('red');
    expect(lostOf(playsOfOther, other)).toEqual([]);
    // The remaining tests use only the first kiosk.
    other.remove();
    kiosks = [kiosk];
  });

  it('are reverted within three minutes, pinned and reported if the program ends at once', {
    timeout: TRIAL_MS,
  }, async () => {
    const before = plays();
    const others = otherPackages();
    machine.publish(packageWithProgram(3, 'exit 1'));
    const tookMs = await takenBack(numbered(3), async () => {});
    expect(tookMs).toBeLessThan(180_000);
    expect(lostOf(before)).toEqual([]);
    expect(otherPackages()).toBe(others);
    expect(root.run('apt-cache policy endcap')).toContain(`Candidate: ${SECOND}\n`);
    await until(async () => (await attention()).length > 0, SHOWN_MS, 'a problem in the status');
    expect(await attention()).toEqual([
      expect.objectContaining({
        code: 'update-taken-back',
        message: `The update to version ${numbered(3)} was taken back: it did not play within 120 seconds. Version ${SECOND} plays.`,
      }),
    ]);
    update(kiosk);
    expect(installed()).toBe(SECOND);
  });

  it('are reverted if the program reports ready but shows nothing, even without network', {
    timeout: TRIAL_MS,
  }, async () => {
    const ready =
      'trap "exit 0" TERM; systemd-notify READY=1; while :; do systemd-notify WATCHDOG=1; sleep 1 & wait $!; done';
    machine.publish(packageWithProgram(4, ready));
    const tookMs = await takenBack(numbered(4), () => machine.stopServing());
    expect(tookMs).toBeLessThan(180_000);
    expect(root.run('grep "^Pin: " /etc/apt/preferences.d/endcap-taken-back')).toBe(
      `Pin: version ${numbered(3)}\nPin: version ${numbered(4)}\n`,
    );
  });

  it('go on with the next good version, which ends the report and the pins', {
    timeout: TRIAL_MS,
  }, async () => {
    await machine.serve();
    const before = plays();
    machine.publish(packageWithProgram(5, null));
    update(kiosk);
    await passed(kiosk, numbered(5));
    await seen('red');
    expect(lostOf(before)).toEqual([]);
    expect(root.run('ls /etc/apt/preferences.d /var/lib/endcap-updates')).not.toMatch(/taken-back|trial/);
    root.run('systemctl restart endcap');
    await seen('blue');
    await until(async () => (await attention()).length === 0, SHOWN_MS, 'a status without problems');
  });
});

/** Runs apt as its timers do at night. */
function update({ root }: CleanKiosk): void {
  root.run(
    'rm -f /var/lib/apt/periodic/*; systemctl start apt-daily.service && systemctl start apt-daily-upgrade.service',
    { timeoutMs: INSTALL_MS },
  );
}

/** Waits until a kiosk's trial of this version has passed. */
async function passed(kiosk: CleanKiosk, version: string): Promise<void> {
  await until(() => kiosk.installed() === version, SHOWN_MS, version);
  const isGood = () => kiosk.journal('endcap-trial').includes(`endcap ${version} plays`);
  await until(isGood, 300_000, `a passed trial of ${version}`);
}

/**
 * Installs a bad version, and waits until the previous version plays again.
 *
 * @returns the time since the first start of the bad version, ms
 */
async function takenBack(version: string, onceStarted: () => Promise<void>): Promise<number> {
  root.run('rm -f /var/lib/apt/periodic/*; systemctl start apt-daily.service', { timeoutMs: INSTALL_MS });
  const started = () => root.run('systemctl show -P ExecMainStartTimestampMonotonic endcap');
  const startedBefore = started();
  root.run('systemctl start --no-block apt-daily-upgrade.service');
  await until(() => started() !== startedBefore, INSTALL_MS, `the first start of ${version}`);
  const since = performance.now();
  expect(installed()).toBe(version);
  await until(
    () => root.run('systemctl is-active apt-daily-upgrade || true') !== 'activating\n',
    INSTALL_MS,
    'the end of the update',
  );
  await onceStarted();
  const secondsNow = () => Math.round((performance.now() - since) / 1_000);
  const isJudged = () => kiosk.read('/var/lib/endcap-updates/taken-back.json').includes(`"bad":"${version}"`);
  await until(isJudged, 300_000, 'a judgement');
  const judged = secondsNow();
  await until(() => installed() === SECOND, 300_000, 'the version before');
  const installedAt = secondsNow();
  await seen('red');
  const tookMs = performance.now() - since;
  console.log(
    `${version}: judged after ${judged} s, the version before installed after ${installedAt} s, seen after ${secondsNow()} s`,
  );
  return tookMs;
}

/** The second package under a higher version; `program` replaces Endcap, which is left out then. */
function packageWithProgram(number: number, program: string | null): string {
  const content = join(folder, 'content');
  rmSync(content, { recursive: true, force: true });
  execFileSync('dpkg-deb', ['-R', packages[1], content]);
  const control = join(content, 'DEBIAN/control');
  writeFileSync(
    control,
    readFileSync(control, 'utf8').replace(/^Version: .*/m, `Version: ${numbered(number)}`),
  );
  if (program !== null) {
    rmSync(join(content, 'opt/endcap'), { recursive: true });
    mkdirSync(join(content, 'opt/endcap'));
    writeFileSync(join(content, 'opt/endcap/endcap'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  }
  const file = join(folder, `endcap_${number}_amd64.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zzstd', '-z1', '--build', content, file], {
    stdio: 'ignore',
  });
  return file;
}

const seen = (colour: keyof typeof COLOURS) => kiosk.seen(colour);
const plays = () => kiosk.plays();
const installed = () => kiosk.installed();

function otherPackages(): string {
  return root.run("dpkg-query -W | grep -v '^endcap\\b'");
}

/** Plays that a kiosk no longer reports. */
function lostOf(before: readonly string[], of = kiosk): string[] {
  const after = new Set(of.plays());
  return before.filter((play) => !after.has(play));
}

async function attention(): Promise<Array<{ code: string; message: string }>> {
  const response = await askKiosk(kiosk.at(DATA), '/v1/status');
  return ((await response.json()) as { attention: Array<{ code: string; message: string }> }).attention;
}

function field(file: string, name: string): string {
  return execFileSync('dpkg-deb', ['-f', file, name], { encoding: 'utf8' }).trim();
}
