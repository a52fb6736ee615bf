import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { until } from '../until';

/** Packages of a small Debian installation beyond the base: an init, its bus, and log-ins. */
const INCLUDED = ['systemd', 'systemd-sysv', 'dbus', 'libpam-systemd', 'ca-certificates'];
const KEPT_DAYS = 30;

/**
 * A Debian that runs beside the host, with files, processes, mounts and an init of its own. Network and
 * shared memory are the host's, so that it can use the host's display and services.
 */
export interface CleanRoot {
  /** Its root folder, seen from the host. */
  readonly path: string;
  /** Runs a shell script in it as root (or `user`); throws with what it printed when it fails. */
  run(script: string, options?: RunOptions): string;
  /** Kills all its processes and removes it. */
  remove(): void;
}

export interface RunOptions {
  readonly user?: string;
  readonly timeoutMs?: number;
}

/**
 * Boots a clean Debian of the host's release. Packages come from the host's apt sources, and are stored in
 * `cache` for later runs.
 */
export async function bootCleanRoot(cache: string): Promise<CleanRoot> {
  const base = prepareBase(cache);
  const work = mkdtempSync(join(cache, 'install-'));
  const path = join(work, 'root');
  const archives = join(cache, 'apt-archives');
  mkdirSync(archives, { recursive: true });
  // Only Debian's packages may be reused: packages of ours were left by a run that was interrupted.
  for (const name of readdirSync(archives)) {
    if (name.startsWith('endcap')) rmSync(join(archives, name));
  }
  execFileSync('cp', ['-a', '--reflink=auto', base, path]);
  // Each root needs a machine id of its own.
  writeFileSync(join(path, 'etc/machine-id'), `${randomUUID().replaceAll('-', '')}\n`);
  const cgroup = ownCgroup(work);
  const console_ = join(work, 'console.log');
  writeFileSync(console_, '');
  const keeper = spawn(
    'unshare',
    [
      ...['--mount', '--pid', '--fork', '--uts', '--cgroup', '--propagation', 'private', '--kill-child'],
      ...['sh', '-euc', BOOT, 'boot', path, archives, console_],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (cgroup !== null) writeFileSync(join(cgroup, 'cgroup.procs'), String(keeper.pid));

  const init = () => childOf(keeper.pid ?? 0);
  const run = (script: string, { user = 'root', timeoutMs = 120_000 }: RunOptions = {}): string => {
    const enter = ['--target', String(init()), '--mount', '--uts', '--pid', '--cgroup', '--root'];
    const become = user === 'root' ? [] : ['runuser', '-u', user, '--'];
    try {
      return execFileSync('nsenter', [...enter, ...become, 'sh', '-ec', `cd /\n${script}`], {
        env: ENVIRONMENT,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: timeoutMs,
        maxBuffer: 64 * 1024 * 1024,
      });
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`in the clean root: ${script}\n${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`);
    }
  };
  const root: CleanRoot = {
    path,
    run,
    remove() {
      const pid = init();
      if (pid !== null) process.kill(pid, 'SIGKILL');
      keeper.kill('SIGKILL');
      // The last processes end a moment after their namespace.
      for (let tries = 50; ; tries -= 1) {
        try {
          rmSync(work, { recursive: true, force: true });
          if (cgroup !== null) removeCgroup(cgroup);
          return;
        } catch (error) {
          if (tries === 0) throw error;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
        }
      }
    },
  };
  try {
    const isUp = () => /running|degraded/.test(run('systemctl is-system-running || true'));
    await until(isUp, 60_000, 'a running system');
  } catch (error) {
    root.remove();
    throw error;
  }
  return root;
}

const ENVIRONMENT = {
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C.UTF-8',
  HOME: '/root',
  TERM: 'dumb',
  DEBIAN_FRONTEND: 'noninteractive',
};

/**
 * Turns a folder into a running system with its own init. Uses `pivot_root`, since Chromium's sandbox rejects
 * a chroot.
 */
const BOOT = `
root=$1 archives=$2 console=$3
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount --bind "$archives" var/cache/apt/archives
mount -t tmpfs -o mode=755 tmpfs dev
for node in null zero full random urandom tty; do
  touch "dev/$node"
  mount --bind "/dev/$node" "dev/$node"
done
touch dev/console
mount --bind "$console" dev/console
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mkdir -p .machine
pivot_root . .machine
umount -l /.machine
rmdir /.machine
export container=endcap-test PATH=/usr/sbin:/usr/bin:/sbin:/bin
exec /lib/systemd/systemd --log-target=journal --show-status=0
`;

/** The unpacked base system; made when it is missing or older than KEPT_DAYS. */
function prepareBase(cache: string): string {
  const { uri, codename, sources } = debianSources();
  const name = createHash('sha256')
    .update(JSON.stringify([uri, codename, sources, INCLUDED]))
    .digest('hex');
  const base = join(cache, `debian-${codename}-${name.slice(0, 12)}`);
  const stamp = join(base, 'etc/endcap-test-base');
  if (existsSync(stamp) && Date.now() - Number(readFileSync(stamp, 'utf8')) < KEPT_DAYS * 86_400_000)
    return base;
  const unfinished = mkdtempSync(join(cache, 'debian-new-'));
  execFileSync(
    'debootstrap',
    ['--variant=minbase', `--include=${INCLUDED.join(',')}`, codename, unfinished, uri],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  rmSync(join(unfinished, 'etc/apt/sources.list'), { force: true });
  writeFileSync(join(unfinished, 'etc/apt/sources.list'), sources);
  writeFileSync(join(unfinished, 'etc/apt/apt.conf.d/90machine'), machineProxies());
  writeFileSync(join(unfinished, 'etc/resolv.conf'), readIfThere('/etc/resolv.conf'));
  writeFileSync(join(unfinished, 'etc/hostname'), 'clean-root\n');
  // No person is at its console, and it has no network of its own to wait for.
  execFileSync('chroot', [
    unfinished,
    'systemctl',
    'mask',
    'console-getty.service',
    'systemd-networkd-wait-online.service',
  ]);
  execFileSync('chroot', [unfinished, 'apt-get', 'update'], { stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(join(unfinished, 'etc/endcap-test-base'), String(Date.now()));
  execFileSync('chmod', ['755', unfinished]);
  rmSync(base, { recursive: true, force: true });
  renameSync(unfinished, base);
  return base;
}

/** The Debian sources among the host's apt sources. */
function debianSources(): { uri: string; codename: string; sources: string } {
  const listed = execFileSync(
    'apt-get',
    [
      'indextargets',
      '--format',
      '$(REPO_URI) $(CODENAME) $(COMPONENT) $(LABEL)',
      'Created-By: Packages',
      'Origin: Debian',
    ],
    { encoding: 'utf8' },
  );
  const entries = [...new Set(listed.trim().split('\n'))].flatMap((line) => {
    const [uri, codename, component, label] = line.split(' ');
    return uri && codename && component && label ? [{ uri, codename, component, label }] : [];
  });
  const main = entries.find(({ label, codename }) => label === 'Debian' && !codename.includes('-'));
  if (!main) throw new Error('no Debian among the apt sources of this machine (run apt-get update first)');
  const sources = entries
    .filter(({ codename }) => codename === main.codename || codename.startsWith(`${main.codename}-`))
    .map(({ uri, codename, component }) => `deb ${uri} ${codename} ${component}\n`);
  return { uri: main.uri, codename: main.codename, sources: sources.sort().join('') };
}

/** How the host's apt reaches the network, if not directly. */
function machineProxies(): string {
  const dump = execFileSync('apt-config', ['dump', 'Acquire'], { encoding: 'utf8' });
  return dump
    .split('\n')
    .filter((line) => /^Acquire::(http|https)::(?:Proxy|CaInfo|Verify)/i.test(line))
    .map((line) => `${line}\n`)
    .join('');
}

/** A control group for the root's processes, so that its init sees only those; null where the host has no cgroup2. */
function ownCgroup(work: string): string | null {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const top = mounts.find((line) => line.split(' ')[2] === 'cgroup2')?.split(' ')[1];
  if (top === undefined) return null;
  const path = join(top, `endcap-${work.slice(-6)}`);
  mkdirSync(path);
  return path;
}

/** Removes a tree of control groups from the inside out, since their files cannot be removed. */
function removeCgroup(path: string): void {
  if (!existsSync(path)) return;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) removeCgroup(join(path, entry.name));
  }
  execFileSync('rmdir', [path]);
}

function childOf(pid: number): number | null {
  const children = readIfThere(`/proc/${pid}/task/${pid}/children`).trim().split(' ');
  return Number(children[0]) || null;
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
