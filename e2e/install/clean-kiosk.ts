import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DemoService, startDemoService } from '../../main/demo-service/demo-service';
import { serveTwoCreatives } from '../two-creatives';
import { bootCleanRoot, type CleanRoot } from './clean-root';
import { type COLOURS, seen } from './screen-colours';
import { startVirtualScreen, type VirtualScreen } from './virtual-screen';

export const SECRET = 'hush-7f3a91c2-secret';
/** The data folder of the packaged kiosk. */
export const DATA = '/var/lib/endcap';
/** Files that the pretended editor writes into the file of the same name. */
const TYPED = '/var/tmp/typed';

/** The clean root has no console, but logind: the session of the kiosk's user is a real one. */
const SEAT_WITHOUT_CONSOLE = `[Unit]
ConditionPathExists=
[Service]
TTYPath=
TTYReset=no
TTYVHangup=no
TTYVTDisallocate=no
StandardInput=null
UtmpIdentifier=
`;

/** A service whose two ads are a red and a blue picture, a second each. */
export async function startColourService(): Promise<DemoService> {
  const service = await startDemoService({ clientSecret: SECRET });
  serveTwoCreatives(service);
  return service;
}

/** Settings of a kiosk of this service; `secret` contains its client secret or the path of a file with it. */
export function settingsFor(
  service: DemoService,
  secret: { clientSecret: string } | { clientSecretFile: string },
): string {
  const settings = service.settings();
  const { clientSecret: _secret, ...account } = settings.service;
  return JSON.stringify({
    ...settings,
    service: { ...account, ...secret },
    native: { enabled: false },
    signals: { port: 0 },
  });
}

/** A clean Debian with a display, for a kiosk that a person installs. */
export class CleanKiosk {
  readonly root: CleanRoot;
  readonly screen: VirtualScreen;

  private constructor(root: CleanRoot, screen: VirtualScreen) {
    this.root = root;
    this.screen = screen;
  }

  static async boot(): Promise<CleanKiosk> {
    const screen = await startVirtualScreen();
    try {
      return new CleanKiosk(await bootCleanRoot(process.env.ENDCAP_INSTALL_CACHE ?? ''), screen);
    } catch (error) {
      screen.close();
      throw error;
    }
  }

  remove(): void {
    this.root.remove();
    this.screen.close();
  }

  /** The path of a file of the clean root, seen from the host. */
  at(path: string): string {
    return join(this.root.path, path);
  }

  read(path: string): string {
    return readFileSync(this.at(path), 'utf8');
  }

  put(path: string, text: string): void {
    writeFileSync(this.at(path), text);
  }

  /**
   * Provides a `sudo` and an editor: `sudo` runs its command, since the test is root already, and the editor
   * replaces a file by the text of the same name.
   */
  letType(texts: Record<string, string>): void {
    mkdirSync(this.at(TYPED), { recursive: true });
    for (const [name, text] of Object.entries(texts)) this.put(`${TYPED}/${name}`, text);
    this.put('/usr/bin/sudo', '#!/bin/sh\nexec "$@"\n');
    this.put('/usr/bin/editor', `#!/bin/sh\ncat "${TYPED}/$(basename "$1")" > "$1"\n`);
    this.root.run('chmod 0755 /usr/bin/sudo /usr/bin/editor');
  }

  /** Removes `sudo`, the editor and its texts again. */
  endTyping(): void {
    for (const path of [TYPED, '/usr/bin/sudo', '/usr/bin/editor'])
      rmSync(this.at(path), { recursive: true, force: true });
  }

  /** Lets the kiosk play on the display without a console. Call it after its package is installed. */
  playOnScreen(): void {
    this.put('/etc/default/endcap', `${this.screen.settings}\nENDCAP_ARGUMENTS="--disable-gpu"\n`);
    this.dropIn('screen', this.read('/usr/share/endcap/headless.conf'));
    this.dropIn('screen', SEAT_WITHOUT_CONSOLE, 'endcap-seat');
  }

  /** Adds a drop-in to a systemd unit of the kiosk. */
  dropIn(name: string, text: string, unit = 'endcap'): void {
    this.root.run(`mkdir -p /etc/systemd/system/${unit}.service.d`);
    this.put(`/etc/systemd/system/${unit}.service.d/${name}.conf`, text);
    this.root.run('systemctl daemon-reload');
  }

  /** Waits until the display shows this colour. */
  seen(colour: keyof typeof COLOURS): Promise<void> {
    return seen(this.screen, colour);
  }

  /** Ids of all plays, as `endcap export-plays` prints them. */
  plays(): string[] {
    return [...this.root.run('endcap export-plays').matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id ?? '');
  }

  installed(): string {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the format is dpkg's.
    return this.root.run("dpkg-query -W -f '${Version}' endcap");
  }

  journal(unit: string): string {
    return this.root.run(`journalctl --no-pager -u ${unit}`);
  }
}
