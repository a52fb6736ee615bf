import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second in `/proc/PID/stat`: USER_HZ, 100 on every Linux we run on. */
const TICKS_PER_SECOND = 100;

export interface Footprint {
  /** Proportional set size of all processes: shared pages are counted once in all. */
  readonly pssMb: number;
  /** Processor time used so far by the processes that run now, s. */
  readonly cpuSeconds: number;
  /** The memory of each kind of process (`browser`, `renderer`, `gpu-process` …), MB. */
  readonly pssMbByKind: Readonly<Record<string, number>>;
  /**
   * Memory that is no part of a file (anonymous and shared), MB. Other programs on the machine do not change
   * this figure.
   */
  readonly ownMb: number;
  readonly ownMbByKind: Readonly<Record<string, number>>;
  readonly processes: number;
}

/** Reads one process; null when it has ended since it was listed. */
function lookAt(pid: number) {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return { rollup, kind: kindOf(pid), ...statOf(pid) };
  } catch {
    return null;
  }
}

/** The memory and processor time of a process and all its descendants (Linux). */
export function footprintOf(pid: number): Footprint {
  const pssMbByKind: Record<string, number> = {};
  const ownMbByKind: Record<string, number> = {};
  let ticks = 0;
  const all = descendants(pid);
  for (const each of all) {
    const seen = lookAt(each);
    if (seen === null) continue;
    const { rollup, kind, user, system } = seen;
    const mbOf = (field: string) =>
      (Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1] ?? Number.NaN) * 1024) / 1e6;
    pssMbByKind[kind] = (pssMbByKind[kind] ?? 0) + mbOf('Pss');
    ownMbByKind[kind] = (ownMbByKind[kind] ?? 0) + mbOf('Pss_Anon') + mbOf('Pss_Shmem');
    ticks += user + system;
  }
  const sum = (mbByKind: Readonly<Record<string, number>>) =>
    Object.values(mbByKind).reduce((total, mb) => total + mb, 0);
  return {
    pssMb: sum(pssMbByKind),
    ownMb: sum(ownMbByKind),
    ownMbByKind,
    cpuSeconds: ticks / TICKS_PER_SECOND,
    pssMbByKind,
    processes: all.size,
  };
}

/** The process type that Chromium gives on the command line; the first process has none. */
function kindOf(pid: number): string {
  const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  return /--type=([a-z-]+)/.exec(commandLine)?.[1] ?? 'browser';
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

/** The fields after the program's name, which may itself contain spaces and brackets. */
function statOf(pid: number): { parent: number; user: number; system: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1]), user: Number(fields[11]), system: Number(fields[12]) };
}
