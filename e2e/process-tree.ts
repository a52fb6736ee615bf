import { readdirSync, readFileSync } from 'node:fs';

// What Linux tells in /proc of a process and its descendants.

/** Clock ticks per second in `/proc/PID/stat`: USER_HZ, 100 on every Linux we run on. */
const TICKS_PER_SECOND = 100;

export interface Footprint {
  /** Proportional set size of all processes: shared pages are counted once in all. */
  readonly pssMb: number;
  /** Processor time used so far by the processes that run now, s. */
  readonly cpuSeconds: number;
  readonly cpuSecondsByKind: Readonly<Record<string, number>>;
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

/** A process and all its descendants that are alive now, itself first. */
export function processTree(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? statOf(Number(name))?.parent : undefined;
    if (parent !== undefined) parents.set(Number(name), parent);
  }
  const found = isAlive(pid) ? [pid] : [];
  for (const parent of found) {
    for (const [child, of] of parents) if (of === parent && !found.includes(child)) found.push(child);
  }
  return found;
}

/** Whether a process runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  const state = statOf(pid)?.state ?? 'X';
  return state !== 'Z' && state !== 'X';
}

/** The memory and processor time of a process and all its descendants. */
export function footprintOf(pid: number): Footprint {
  const pssMbByKind: Record<string, number> = {};
  const ownMbByKind: Record<string, number> = {};
  const cpuSecondsByKind: Record<string, number> = {};
  const all = processTree(pid);
  for (const each of all) {
    const seen = lookAt(each);
    if (seen === null) continue;
    const { rollup, kind } = seen;
    const mbOf = (field: string) =>
      (Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1] ?? Number.NaN) * 1024) / 1e6;
    pssMbByKind[kind] = (pssMbByKind[kind] ?? 0) + mbOf('Pss');
    ownMbByKind[kind] = (ownMbByKind[kind] ?? 0) + mbOf('Pss_Anon') + mbOf('Pss_Shmem');
    const cpuSeconds = (statOf(each)?.ticks ?? 0) / TICKS_PER_SECOND;
    cpuSecondsByKind[kind] = (cpuSecondsByKind[kind] ?? 0) + cpuSeconds;
  }
  const sum = (byKind: Readonly<Record<string, number>>) =>
    Object.values(byKind).reduce((total, each) => total + each, 0);
  return {
    pssMb: sum(pssMbByKind),
    ownMb: sum(ownMbByKind),
    ownMbByKind,
    cpuSeconds: sum(cpuSecondsByKind),
    cpuSecondsByKind,
    pssMbByKind,
    processes: all.length,
  };
}

/**
 * The memory of a process, and the type that Chromium gives on its command line; the first process has none.
 * Null when the process has ended since it was listed.
 */
function lookAt(pid: number): { rollup: string; kind: string } | null {
  try {
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const kind = /--type=([a-z-]+)/.exec(commandLine)?.[1] ?? 'browser';
    return { rollup: readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), kind };
  } catch {
    return null;
  }
}

/** Null when there is no such process. `ticks`: processor time so far, of user and system. */
function statOf(pid: number): { state: string; parent: number; ticks: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name may contain spaces and brackets; the fields after its last bracket do not.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      state: fields[0] ?? '',
      parent: Number(fields[1]),
      ticks: Number(fields[11]) + Number(fields[12]),
    };
  } catch {
    return null;
  }
}
