/**
 * Reads the memory of this process; while it cannot be read, the last value that could. Linux tells it in a file, which
 * a process without a free file descriptor cannot open (Node throws EMFILE then).
 */
export function memoryReader(read: () => NodeJS.MemoryUsage): () => NodeJS.MemoryUsage {
  let last = read();
  return () => {
    try {
      last = read();
    } catch {
      // The last value is good enough: it is compared with bounds, or shown.
    }
    return last;
  };
}

/** Memory of main's process, bytes. */
export const ownMemory = memoryReader(process.memoryUsage);
