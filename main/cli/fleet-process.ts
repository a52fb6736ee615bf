/** What `fleet` needs of its process. */
export interface FleetProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** ms since the epoch, UTC. */
  readonly now: () => number;
  /** Standard output; resolves when there is room for more. */
  readonly out: (text: string) => Promise<void>;
  /** Standard error, for everything but the answer. */
  readonly writeError: (text: string) => Promise<void>;
  /** Size of the terminal; null where standard output is none. */
  readonly terminal: () => { readonly columns: number; readonly rows: number } | null;
  /** Aborted when the operator ends the command (Ctrl+C). */
  readonly ended: AbortSignal;
}
