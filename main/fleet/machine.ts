import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** What tells this machine from another one that runs a copy of its disk. Hashes: the machine's own names stay with it. */
export const Machine = z.object({
  /** Of `/etc/machine-id`; null: there is none, as on Windows. */
  id: z.string().nullable(),
  /** Of the permanent addresses of its network devices; without any that can be changed or are no device's. */
  addresses: z.array(z.string()).max(64),
});
export type Machine = z.infer<typeof Machine>;

/** @param root of the file system */
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
 * Whether two descriptions are of different machines (rule 27). A copied disk has the machine id of the
 * first, a machine set up anew has its old addresses: either of them changed is another machine. A device
 * more or less is none, and neither is what is not known.
 */
export function isOther(one: Machine, other: Machine): boolean {
  if (one.id !== null && other.id !== null && one.id !== other.id) return true;
  if (one.addresses.length === 0 || other.addresses.length === 0) return false;
  return !one.addresses.some((address) => other.addresses.includes(address));
}

/** The address of a network device; null: it is virtual, or its address may change (`addr_assign_type`). */
async function permanentAddress(device: string): Promise<string | null> {
  const isReal = await stat(join(device, 'device')).then(
    () => true,
    () => false,
  );
  if (!isReal || (await textOf(join(device, 'addr_assign_type'))) !== '0') return null;
  const address = await textOf(join(device, 'address'));
  return address !== null && /^(?!00:00:00:00:00:00$)[0-9a-f:]{17}$/i.test(address) ? address : null;
}

const textOf = async (file: string): Promise<string | null> =>
  (await readFile(file, 'utf8').catch(() => '')).trim() || null;

const hashOf = (text: string) =>
  createHash('sha256').update(`endcap-machine:${text}`).digest('hex').slice(0, 32);
