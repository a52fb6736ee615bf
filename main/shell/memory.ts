import { app } from 'electron';
import type { Status } from '../signals/status';

/** Memory of the main process, and of all others by kind, in bytes. */
export function memoryNow(): Status['memory'] {
  const processes: Record<string, number> = {};
  for (const { type, memory } of app.getAppMetrics()) {
    const kind = type.toLowerCase().replaceAll(' ', '-');
    processes[kind] = (processes[kind] ?? 0) + memory.workingSetSize * 1024;
  }
  const { rss, heapUsed } = process.memoryUsage();
  return { residentBytes: rss, heapUsedBytes: heapUsed, processes };
}
