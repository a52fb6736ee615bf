import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../run/say.ts';

/** Debian's names by the number in the header of a program (`e_machine`). */
const DEBIAN_NAMES = new Map([
  [62, 'amd64'],
  [183, 'arm64'],
]);
const MACHINE_AT = 18;

/**
 * The architecture of all programs and libraries below a folder, as Debian names it. Throws if they differ, or if
 * there is none that we package.
 */
export function architectureOf(folder: string): string {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) => {
      const machine = machineOf(join(parentPath, name));
      return machine === null
        ? []
        : [{ name, architecture: DEBIAN_NAMES.get(machine) ?? `machine ${machine}` }];
    });
  const [first] = found;
  const other = found.find(({ architecture }) => architecture !== first?.architecture);
  const isKnown = [...DEBIAN_NAMES.values()].includes(first?.architecture ?? '');
  if (first !== undefined && other === undefined && isKnown) return first.architecture;
  const what = [first, other].flatMap((one) => (one ? [`${one.name} for ${one.architecture}`] : []));
  throw new CommandError(
    `endcap: ${folder} holds ${what.join(' and ') || 'no program'}. Expected programs for one of ${[...DEBIAN_NAMES.values()].join(' and ')}`,
  );
}

/** @returns null: it is not a Linux program */
function machineOf(path: string): number | null {
  const header = Buffer.alloc(MACHINE_AT + 2);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, header, 0, header.length, 0) < header.length) return null;
  } finally {
    closeSync(file);
  }
  return header.toString('latin1', 0, 4) === '\x7fELF' ? header.readUInt16LE(MACHINE_AT) : null;
}
