/** What `fleet` needs of its process. */
export interface FleetProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** ms since the epoch, UTC. */
  readonly now: () => number;
  /** A small file's bytes; null if there is none. Rejects with the system's error, or above `most` bytes. */
  readonly read: (path: string, most: number) => Promise<Uint8Array | null>;
  /** Standard output; resolves when there is room for more. */
  readonly out: (text: string) => Promise<void>;
  /** Standard error, for everything but the answer. */
  readonly writeError: (text: string) => Promise<void>;
  /** Size of the terminal; null where standard output is none. */
  readonly terminal: () => { readonly columns: number; readonly rows: number } | null;
  /** Aborted when the operator ends the command (Ctrl+C). */
  readonly ended: AbortSignal;
}

/** Ends the command with one line for the operator. `exitCode` 1: it was not done; 2: wrong usage. */
export class FleetError extends Error {
  constructor(
    readonly exitCode: 1 | 2,
    message: string,
  ) {
    super(message);
  }
}
