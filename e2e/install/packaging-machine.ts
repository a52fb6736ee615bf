import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const clone = resolve(__dirname, '../..');
/** Places of the page, and what they are called in its commands. */
const [REPOSITORY, WEB_ROOT, ADDRESS] = ['/srv/endcap', '/var/www', 'https://updates.example.com'];

/**
 * The machine that makes packages and publishes them, as docs/install.md has it: a keyring, sources and a web
 * server of its own. Its `npm run package` and `git pull` take what the test has built before; the rest is real.
 */
export class PackagingMachine {
  /** What the next `npm run package` makes. */
  nextPackage = '';
  readonly #folder: string;
  #port = 0;
  #stop = async (): Promise<void> => {};

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param folder is made */
  static async start(folder: string): Promise<PackagingMachine> {
    for (const name of ['sources/dist', 'programs', 'www'])
      mkdirSync(join(folder, name), { recursive: true });
    mkdirSync(join(folder, 'gpg'), { mode: 0o700 });
    const program = (name: string, text: string) =>
      writeFileSync(join(folder, 'programs', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    program('sudo', 'exec "$@"');
    program('git', '[ "$*" = pull ]');
    program(
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

  /** Types a command of the page; throws with what it printed when it fails. */
  type(command: string): void {
    const { PATH = '' } = process.env;
    const sources = join(this.#folder, 'sources');
    const own = { PATH: `${join(this.#folder, 'programs')}:${PATH}`, GNUPGHOME: join(this.#folder, 'gpg') };
    const env = { ...process.env, ...own, NEXT_PACKAGE: this.nextPackage, INIT_CWD: sources };
    const { status, stdout, stderr } = spawnSync('sh', ['-ec', this.#placed(command)], {
      cwd: sources,
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${command}\n${stdout}\n${stderr}`);
  }

  /** Publishes a package that no sources make. */
  publish(file: string): void {
    this.type(`npm run apt-repository -- --out ${REPOSITORY} --key 'Updates of our kiosks' '${file}'`);
  }

  /** Commands for a kiosk, with the address of this machine. */
  addressed(commands: readonly string[]): string[] {
    return commands.map((command) => command.replaceAll(ADDRESS, this.#url()));
  }

  /** Begins to serve, or goes on, at the same address. In a process of its own: what runs in a clean root holds this one up. */
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

  /** Its web server goes, as if the network were away. */
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

  /** The command with the places and the address of this machine. */
  #placed(command: string): string {
    return command
      .replaceAll(REPOSITORY, join(this.#folder, 'repository'))
      .replaceAll(WEB_ROOT, join(this.#folder, 'www'))
      .replaceAll(ADDRESS, this.#url());
  }
}
