import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { plain } from '../../shared/plain';

/** Distinguishes this machine from one that runs a copy of its disk. Holds hashes, so that no id leaves the machine. */
export const Machine = z.object({
  /** Hash of `/etc/machine-id`; null: there is none, as on Windows. */
  id: plain.textOrNull,
  /** Hashes of the permanent MAC addresses of its physical network devices. */
  addresses: z.array(plain.text).max(64),
});
export type Machine = z.infer<typeof Machine>;

/** Describes the machine that this process runs on. @param root of the file system */
export async function thisMachine(root = '/'): Promise<Machine> {
  const id = await textOf(join(root, 'etc/machine-id'));
  const devices = join(root, 'sys/class/net');
  const names = await readdir(devices).catch(() => []);
  const addresses = await Promise.all(names.map((name) => permanentAddress(join(devices, name))));
  return {
    id: id === null ? null : hashOf(id),
    addresses: addresses
      .filter((address) => address !== null)
      .map(hashOf)
      .sort()
      .slice(0, 64),
  };
}

/**
 * Whether two descriptions are of different machines (rule 27): their machine ids differ, or they have no MAC
 * address in common. An added or removed device is no difference, and neither is an unknown id or address.
 */
export function isOther(one: Machine, other: Machine): boolean {
  if (one.id !== null && other.id !== null && one.id !== other.id) return true;
  if (one.addresses.length === 0 || other.addresses.length === 0) return false;
  return !one.addresses.some((address) => other.addresses.includes(address));
}

/** Whether all devices are the same: of two machines that are `isOther`, one with a new machine id (a new system). */
export const hasSameDevices = (one: Machine, other: Machine): boolean =>
  one.addresses.length > 0 && one.addresses.join() === other.addresses.join();

/** A description of a machine, with what is unknown now as it was known before: a device may appear late after a start. */
export const completed = ({ id, addresses }: Machine, known: Machine): Machine => ({
  id: id ?? known.id,
  addresses: addresses.length > 0 ? addresses : known.addresses,
});

/**
 * The MAC address that a network device was made with; null: it is virtual, or only an address is known that may change
 * (`addr_assign_type`). A Wi-Fi card tells its own in `phy80211`: where systems change the address for each scan, the
 * one in use counts as changed for ever.
 */
async function permanentAddress(device: string): Promise<string | null> {
  if (!existsSync(join(device, 'device'))) return null;
  const isPermanent = (await textOf(join(device, 'addr_assign_type'))) === '0';
  const ofCard = await addressOf(join(device, 'phy80211/macaddress'));
  return ofCard ?? (isPermanent ? addressOf(join(device, 'address')) : null);
}

async function addressOf(file: string): Promise<string | null> {
  const address = await textOf(file);
  return address !== null && /^(?!00:00:00:00:00:00$)[0-9a-f:]{17}$/i.test(address) ? address : null;
}

const textOf = async (file: string): Promise<string | null> =>
  (await readFile(file, 'utf8').catch(() => '')).trim() || null;

const hashOf = (text: string) =>
  createHash('sha256').update(`endcap-machine:${text}`).digest('hex').slice(0, 32);
