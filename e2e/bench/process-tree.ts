import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second in `/proc/PID/stat`: USER_HZ, 100 on every Linux we run on. */
const TICKS_PER_SECOND = 100;

export interface Footprint {
  /** Proportional set size of all processes: shared pages are counted once in all. */
  readonly pssMb: number;
  /** Time of the processor used so far by the processes that run now, s. */
  readonly cpuSeconds: number;
  readonly processes: number;
}

/** What a process and all its descendants take up now (Linux). */
export function footprintOf(pid: number): Footprint {
  let pssKb = 0;
  let ticks = 0;
  const pids = [...descendants(pid)];
  for (const each of pids) {
    const rollup = readFileSync(`/proc/${each}/smaps_rollup`, 'utf8');
    pssKb += Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? Number.NaN);
    const { user, system } = statOf(each);
    ticks += user + system;
  }
  return { pssMb: (pssKb * 1024) / 1e6, cpuSeconds: ticks / TICKS_PER_SECOND, processes: pids.length };
}

function descendants(pid: number): Set<number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      parents.set(Number(name), statOf(Number(name)).parent);
    } catch {
      // It ended between the listing and the reading.
    }
  }
  const found = new Set([pid]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const [each, parent] of parents) if (found.has(parent)) found.add(each);
  }
  return found;
}

/** The fields behind the program's name, which may hold spaces and brackets itself. */
function statOf(pid: number): { parent: number; user: number; system: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1]), user: Number(fields[11]), system: Number(fields[12]) };
}
