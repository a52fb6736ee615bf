import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathWith, standIn } from '../stand-in';

const clone = resolve(__dirname, '../..');
/** Paths and the address that the commands of docs/install.md use. */
const [REPOSITORY, WEB_ROOT, ADDRESS] = ['/srv/endcap', '/var/www', 'https://updates.example.com'];

/**
 * The machine that builds and publishes packages as docs/install.md describes: a keyring, sources and a web
 * server. Its `npm run package` and `git pull` take what the test has built before; everything else is real.
 */
export class PackagingMachine {
  /** The package that the next `npm run package` provides. */
  nextPackage = '';
  readonly #folder: string;
  #port = 0;
  #stop = async (): Promise<void> => {};

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param folder created by this function */
  static async start(folder: string): Promise<PackagingMachine> {
    for (const name of ['sources/dist', 'www']) mkdirSync(join(folder, name), { recursive: true });
    mkdirSync(join(folder, 'gpg'), { mode: 0o700 });
    const programs = join(folder, 'programs');
    standIn(programs, 'sudo', 'exec "$@"');
    standIn(programs, 'git', '[ "$*" = pull ]');
    standIn(
      programs,
      'npm',
      `case "$*" in
        ci) ;;
        'run package') cp "$NEXT_PACKAGE" dist/ ;;
        'run apt-repository -- '*) shift 3; exec '${process.execPath}' '${clone}/tools/run/index.mjs' apt-repository "$@" ;;
        *) exit 2 ;;
      esac`,
    );
    const machine = new PackagingMachine(folder);
    await machine.serve();
    return machine;
  }

  /** Runs a command of the page; throws with its output when it fails. */
  type(command: string): void {
    const sources = join(this.#folder, 'sources');
    const own = { ...pathWith(join(this.#folder, 'programs')), GNUPGHOME: join(this.#folder, 'gpg') };
    const env = { ...process.env, ...own, NEXT_PACKAGE: this.nextPackage, INIT_CWD: sources };
    const { status, stdout, stderr } = spawnSync('sh', ['-ec', this.#placed(command)], {
      cwd: sources,
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${command}\n${stdout}\n${stderr}`);
  }

  /** Publishes a package that was not built from the sources. */
  publish(file: string): void {
    this.type(`npm run apt-repository -- --out ${REPOSITORY} --key 'Updates of our kiosks' '${file}'`);
  }

  /** Replaces the address in commands for a kiosk by the one of this machine. */
  addressed(commands: readonly string[]): string[] {
    return commands.map((command) => command.replaceAll(ADDRESS, this.#url()));
  }

  /**
   * Starts the web server, or starts it again at the same address. It is a process of its own, because calls
   * of a clean root block this one.
   */
  async serve(): Promise<void> {
    const program = [
      join(__dirname, 'folder-server.mjs'),
      join(this.#folder, 'www/updates'),
      String(this.#port),
    ];
    const server = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = (await once(server.stdout, 'data')) as [Buffer];
    this.#port = Number(said.toString());
    this.#stop = async () => {
      server.kill();
      await once(server, 'exit');
    };
  }

  /** Stops its web server, as if the network were down. */
  async stopServing(): Promise<void> {
    await this.#stop();
    this.#stop = async () => {};
  }

  async close(): Promise<void> {
    await this.stopServing();
    const env = { ...process.env, GNUPGHOME: join(this.#folder, 'gpg') };
    spawnSync('gpgconf', ['--kill', 'all'], { env });
  }

  #url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Replaces the page's paths and address in a command by the real ones. */
  #placed(command: string): string {
    return command
      .replaceAll(REPOSITORY, join(this.#folder, 'repository'))
      .replaceAll(WEB_ROOT, join(this.#folder, 'www'))
      .replaceAll(ADDRESS, this.#url());
  }
}
