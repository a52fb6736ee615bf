import { readdirSync, readFileSync } from 'node:fs';

/** A process and all its descendants that are alive now, itself first. Linux only. */
export function processTree(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const fields = statOf(Number(name));
    if (fields) parents.set(Number(name), fields.parent);
  }
  const found = isAlive(pid) ? [pid] : [];
  for (const parent of found) {
    for (const [child, of] of parents) if (of === parent && !found.includes(child)) found.push(child);
  }
  return found;
}

/** Whether a process runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  const fields = statOf(pid);
  return fields !== null && fields.state !== 'Z' && fields.state !== 'X';
}

function statOf(pid: number): { state: string; parent: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name may contain spaces and brackets; the fields after its last bracket do not.
    const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return null; // It ended between the listing and the reading.
  }
}
