import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoService, startDemoService } from '../../main/demo-service/demo-service';
import { solidImage } from '../solid-image';
import { bootCleanRoot, type CleanRoot, waitFor } from './clean-root';
import { COLOURS, captureDuring, SHOWN_MS, seen as seenOn } from './screen-colours';
import { startVirtualScreen, type VirtualScreen } from './virtual-screen';

const clone = resolve(__dirname, '../..');
const SECRET = 'hush-7f3a91c2-secret';
const DATA = '/var/lib/endcap';
const DOWNLOADS = '/srv/downloads';
/** Apt may have to fetch and unpack some hundred packages. */
const INSTALL_MS = 400_000;
/** A trial: two minutes, and what comes before and after. */
const TRIAL_MS = 600_000;
/** What the page says of the address, until the operator's own stands there. */
const EXAMPLE_URL = 'https://updates.example.com';
/** The packages are of one commit; each with a higher version. */
const packages = [process.env.ENDCAP_DEB_OLDER ?? '', process.env.ENDCAP_DEB_NEWER ?? ''] as const;
const versions = packages.map((file) => (file ? field(file, 'Version') : ''));
const [FIRST = '', SECOND = ''] = versions;
const numbered = (number: number) => SECOND.replace(/2$/, String(number));

let folder: string;
let screen: VirtualScreen;
let root: CleanRoot;
let service: DemoService;
let repository: Repository;
let url: string;

interface Repository {
  readonly port: number;
  close(): Promise<void>;
}

beforeAll(async () => {
  if (FIRST === '') throw new Error('run this with "npm run install-test -- upgrade"');
  folder = mkdtempSync(join(tmpdir(), 'endcap-upgrade-'));
  service = await startDemoService({ clientSecret: SECRET });
  service.setMedia('red.png', solidImage(COLOURS.red), 'image/png');
  service.setMedia('blue.png', solidImage(COLOURS.blue), 'image/png');
  service.setAds(
    ['red', 'blue'].map((id) => ({
      id,
      durationSeconds: 1,
      media: [{ name: `${id}.png`, type: 'image/png', width: 1280, height: 720 }],
      metadata: { flight_id: `flight-${id}`, source: 'SOURCE_TYPE_CMS', source_id: 'cms' },
    })),
  );
  repository = await serve(join(folder, 'repository/public'));
  url = `http://127.0.0.1:${repository.port}`;
  mkdirSync(join(folder, 'gpg'), { mode: 0o700 });
  gpg('--passphrase', '', '--quick-generate-key', 'Updates of our kiosks', 'rsa3072', 'sign', 'never');
  screen = await startVirtualScreen();
  root = await bootCleanRoot(process.env.ENDCAP_INSTALL_CACHE ?? '');
  root.run('rm -f /var/cache/apt/archives/endcap*');
});

afterAll(async () => {
  root?.run('rm -f /var/cache/apt/archives/endcap*');
  root?.remove();
  screen?.close();
  await repository?.close();
  await service?.close();
  spawnSync('gpgconf', ['--kill', 'all'], { env: withKeyring() });
  rmSync(folder, { recursive: true, force: true });
});

describe('unattended updates on a clean Debian', () => {
  it('are set up by the commands of docs/install.md', { timeout: INSTALL_MS }, async () => {
    publish('--url', url, packages[0]);
    root.run(`mkdir ${DOWNLOADS}`);
    // Whoever installs may use sudo, and types into an editor: here it is root, and the text is there.
    put('/usr/bin/sudo', '#!/bin/sh\nexec "$@"\n');
    put('/usr/bin/editor', `#!/bin/sh\ncat "/var/tmp/$(basename "$1")" > "$1"\n`);
    root.run('chmod 0755 /usr/bin/sudo /usr/bin/editor');
    const { clientSecret: _secret, ...account } = service.settings().service;
    const settings = {
      ...service.settings(),
      service: { ...account, clientSecretFile: 'client-secret' },
      native: { enabled: false },
      signals: { port: 0 },
    };
    put('/var/tmp/config.json', JSON.stringify(settings));
    put('/var/tmp/client-secret', SECRET);
    const commands = commandsOfKiosk();
    const [last, ...before] = commands.reverse();
    expect(last).toBe('sudo systemctl start endcap');
    for (const command of before.reverse())
      root.run(`cd ${DOWNLOADS}\n${command}`, { timeoutMs: INSTALL_MS });
    put('/etc/default/endcap', `${screen.settings}\nENDCAP_ARGUMENTS="--disable-gpu"\n`);
    root.run(
      'install -D -m 0644 /usr/share/endcap/headless.conf /etc/systemd/system/endcap.service.d/headless.conf; systemctl daemon-reload',
    );
    root.run(last ?? '');
    await seen('red');
    await seen('blue');
    expect(installed()).toBe(FIRST);
    // The first way back needs it.
    expect(root.run('ls /var/cache/endcap')).toBe(`endcap_${FIRST}.deb\n`);
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
    root.run(
      'systemd-analyze verify endcap.service endcap-trial.service apt-daily.timer 2>&1 | grep -i endcap && exit 1 || true',
    );
  });

  it('put a new version in place with one restart, the books intact', { timeout: TRIAL_MS }, async () => {
    const restart = await captureDuring(screen, async () => {
      root.run('systemctl restart endcap');
      await seen('red');
      await seen('blue');
    });
    const before = plays();
    const others = otherPackages();
    publish(packages[1]);
    const upgrade = await captureDuring(screen, async () => {
      update();
      await waitFor(() => installed() === SECOND, SHOWN_MS, SECOND);
      await waitFor(
        () => journal('endcap-trial').includes(`endcap ${SECOND} plays`),
        200_000,
        'a passed trial',
      );
      await seen('red');
    });
    console.log(
      `dark at a restart: ${restart.spans.join(', ')} ms; at an update: ${upgrade.spans.join(', ')} ms`,
    );
    // A minute of the trial at least is in it.
    expect(upgrade.capturedMs).toBeGreaterThan(60_000);
    expect(upgrade.spans).toHaveLength(1);
    expect(lostOf(before)).toEqual([]);
    expect(otherPackages()).toBe(others);
    expect(root.run('systemctl is-active endcap-trial || true')).toBe('inactive\n');
  });

  it('are taken back when the program ends at once: within three minutes, pinned and told', {
    timeout: TRIAL_MS,
  }, async () => {
    const before = plays();
    const others = otherPackages();
    publish(packageWithProgram(3, 'exit 1'));
    const tookMs = await takenBack(numbered(3), async () => {});
    console.log(`the way back from a program that ends took ${Math.round(tookMs / 1_000)} s`);
    expect(tookMs).toBeLessThan(180_000);
    expect(lostOf(before)).toEqual([]);
    expect(otherPackages()).toBe(others);
    expect(root.run('apt-cache policy endcap')).toContain(`Candidate: ${SECOND}\n`);
    await waitFor(async () => (await attention()).length > 0, SHOWN_MS, 'a problem in the status');
    expect(await attention()).toEqual([
      expect.objectContaining({
        code: 'update-taken-back',
        message: `The update to version ${numbered(3)} was taken back: it did not play within 120 seconds. Version ${SECOND} plays.`,
      }),
    ]);
    update();
    expect(installed()).toBe(SECOND);
  });

  it('are taken back when the program says that it is ready but shows nothing, without network too', {
    timeout: TRIAL_MS,
  }, async () => {
    const ready =
      'trap "exit 0" TERM; systemd-notify READY=1; while :; do systemd-notify WATCHDOG=1; sleep 1 & wait $!; done';
    publish(packageWithProgram(4, ready));
    const tookMs = await takenBack(numbered(4), () => repository.close());
    console.log(`the way back from a program that shows nothing took ${Math.round(tookMs / 1_000)} s`);
    expect(tookMs).toBeLessThan(180_000);
    expect(root.run('grep "^Pin: " /etc/apt/preferences.d/endcap-taken-back')).toBe(
      `Pin: version ${numbered(3)}\nPin: version ${numbered(4)}\n`,
    );
  });

  it('go on with the next good version, which ends the report and the pins', {
    timeout: TRIAL_MS,
  }, async () => {
    repository = await serve(join(folder, 'repository/public'), repository.port);
    const before = plays();
    publish(packageWithProgram(5, null));
    update();
    await waitFor(
      () => journal('endcap-trial').includes(`endcap ${numbered(5)} plays`),
      300_000,
      'a passed trial',
    );
    await seen('red');
    expect(lostOf(before)).toEqual([]);
    expect(root.run('ls /etc/apt/preferences.d /var/lib/endcap-updates')).not.toMatch(/taken-back|trial/);
    root.run('systemctl restart endcap');
    await seen('blue');
    await waitFor(async () => (await attention()).length === 0, SHOWN_MS, 'a status without problems');
  });
});

/** What the page has a person type on each kiosk, with the address of this repository. */
function commandsOfKiosk(): string[] {
  const page = readFileSync(join(clone, 'docs/install.md'), 'utf8');
  const [, block = ''] = /^On each kiosk:\n+```sh\n([\s\S]*?)^```/m.exec(page) ?? [];
  return block.trim().replaceAll(EXAMPLE_URL, url).split('\n');
}

/** A nightly run of apt, as its timers start it. */
function update(): void {
  root.run(
    'rm -f /var/lib/apt/periodic/*; systemctl start apt-daily.service && systemctl start apt-daily-upgrade.service',
    {
      timeoutMs: INSTALL_MS,
    },
  );
}

/**
 * Lets a bad version come, and waits until the one before it plays again.
 * @returns the time from its first start, ms
 */
async function takenBack(version: string, onceStarted: () => Promise<void>): Promise<number> {
  root.run('rm -f /var/lib/apt/periodic/*; systemctl start apt-daily.service', { timeoutMs: INSTALL_MS });
  const started = () => root.run('systemctl show -P ExecMainStartTimestampMonotonic endcap');
  const startedBefore = started();
  root.run('systemctl start --no-block apt-daily-upgrade.service');
  await waitFor(() => started() !== startedBefore, INSTALL_MS, `the first start of ${version}`);
  const since = performance.now();
  expect(installed()).toBe(version);
  await waitFor(
    () => root.run('systemctl is-active apt-daily-upgrade || true') !== 'activating\n',
    INSTALL_MS,
    'the end of the update',
  );
  await onceStarted();
  await waitFor(() => installed() === SECOND, 300_000, 'the version before');
  await seen('red');
  return performance.now() - since;
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

function publish(...args: string[]): void {
  const command = [join(clone, 'tools/run/index.mjs'), 'apt-repository', '--out', join(folder, 'repository')];
  execFileSync(process.execPath, [...command, '--key', 'Updates of our kiosks', ...args], {
    cwd: clone,
    env: withKeyring(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** In a process of its own: what runs in the clean root holds this one up. */
async function serve(publicFolder: string, port = 0): Promise<Repository> {
  const program = [join(__dirname, 'folder-server.mjs'), publicFolder, String(port)];
  const server = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(server.stdout, 'data')) as [Buffer];
  return {
    port: Number(said.toString()),
    async close() {
      server.kill();
      await once(server, 'exit');
    },
  };
}

function seen(colour: keyof typeof COLOURS): Promise<void> {
  return seenOn(screen, colour);
}

function installed(): string {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the format is dpkg's.
  return root.run("dpkg-query -W -f '${Version}' endcap");
}

function otherPackages(): string {
  return root.run("dpkg-query -W | grep -v '^endcap\\b'");
}

function journal(unit: string): string {
  return root.run(`journalctl --no-pager -u ${unit}`);
}

/** Identifiers of all plays, as the running kiosk tells them. */
function plays(): string[] {
  return [...root.run('endcap export-plays').matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id ?? '');
}

function lostOf(before: readonly string[]): string[] {
  const after = new Set(plays());
  return before.filter((play) => !after.has(play));
}

async function attention(): Promise<Array<{ code: string; message: string }>> {
  const told = (name: string) => readFileSync(join(root.path, DATA, name), 'utf8').trim();
  const response = await fetch(`http://127.0.0.1:${told('signals-port')}/v1/status`, {
    headers: { authorization: `Bearer ${told('signals-token')}` },
  });
  return ((await response.json()) as { attention: Array<{ code: string; message: string }> }).attention;
}

function put(path: string, text: string): void {
  writeFileSync(join(root.path, path), text);
}

function field(file: string, name: string): string {
  return execFileSync('dpkg-deb', ['-f', file, name], { encoding: 'utf8' }).trim();
}

function gpg(...args: string[]): void {
  execFileSync('gpg', ['--batch', '--no-tty', ...args], { env: withKeyring(), stdio: 'pipe' });
}

function withKeyring(): NodeJS.ProcessEnv {
  return { ...process.env, GNUPGHOME: join(folder, 'gpg') };
}
