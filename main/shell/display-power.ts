import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Schedule } from '../schedule';

/** A connector of a graphics card, as Linux reports it. */
export interface Connector {
  /** `connected`, `disconnected` or `unknown`. */
  readonly status: string;
  /** `On`, `Standby`, `Suspend` or `Off`. */
  readonly dpms: string;
}

/** Well below the second that an impression takes (rule 16), ms. */
const LOOK_MS = 500;
const CONNECTORS = '/sys/class/drm';

/** Whether any display is on; null: this machine does not report it. */
export function someDisplayIsOn(connectors: readonly Connector[]): boolean | null {
  const connected = connectors.filter(({ status }) => status === 'connected');
  if (connected.some(({ dpms }) => dpms === 'On')) return true;
  return connectors.length === 0 || connectors.some(({ status }) => status === 'unknown') ? null : false;
}

/**
 * Reports when the last display is unplugged or switched off, and when one is back (rule 14). If no display was ever
 * on, in this run or an earlier one, the machine is viewed by remote access or on a virtual display, which counts as on.
 */
export function watchDisplayPower(parts: {
  /** The connectors; none where the system does not report them. */
  readonly read: () => Promise<readonly Connector[]>;
  /** Whether a display was on in an earlier run. */
  readonly wasOn: boolean;
  /** Called when a display is on for the first time. */
  readonly firstOn: () => void;
  readonly schedule: Schedule;
  readonly tell: (isOn: boolean) => void;
}): void {
  let { wasOn } = parts;
  let told = true;
  const look = async () => {
    const isOn = someDisplayIsOn(await parts.read());
    if (isOn && !wasOn) parts.firstOn();
    wasOn ||= isOn === true;
    const next = isOn !== false || !wasOn;
    if (next === told) return;
    told = next;
    parts.tell(next);
  };
  const again = () => void look().finally(() => parts.schedule(LOOK_MS, again));
  again();
}

/**
 * The connectors of this machine's graphics cards; none where they cannot be read. A writeback connector is none: it has
 * no socket, and some drivers (amdgpu, vc4, msm) add one.
 */
export async function readConnectors(folder: string = CONNECTORS): Promise<readonly Connector[]> {
  const names = await readdir(folder).catch(() => []);
  const word = (name: string, file: string) =>
    readFile(join(folder, name, file), 'utf8').then((text) => text.trim());
  const found = names
    .filter((name) => /^card\d+-(?!Writeback-)/.test(name))
    .map(async (name) => ({ status: await word(name, 'status'), dpms: await word(name, 'dpms') }));
  return Promise.all(found).catch(() => []);
}
