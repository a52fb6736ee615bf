import {
  type RecordsCommand,
  type RecordsErrorCode,
  type RecordsInput,
  type RecordsOutput,
  recordsContract,
} from '../../shared/records';
import { createRpcClient } from '../../shared/rpc';
import type { Schedule } from '../schedule';

/** A command that failed or got no answer. */
export class RecordsError extends Error {
  constructor(
    readonly code: RecordsErrorCode | 'timeout' | 'lost' | 'malformed-answer',
    command: RecordsCommand,
    detail: string,
  ) {
    super(`records: ${command}: ${detail}`);
    this.name = 'RecordsError';
  }

  /** Whether the command may have been carried out. */
  get mayBeDone(): boolean {
    return this.code === 'timeout' || this.code === 'lost';
  }
}

export interface Records {
  /** Runs a domain command; resolves after its transaction is durable. Rejects with `RecordsError`. */
  run<C extends RecordsCommand>(command: C, input: RecordsInput<C>): Promise<RecordsOutput<C>>;
}

export type RecordsClient = ReturnType<typeof createRecordsClient>;

/** Longest time for a call, ms. */
const DEADLINE_MS = 15_000;

/** The typed client of the records window. Calls made before it is connected wait for it, within their deadline. */
export function createRecordsClient(schedule: Schedule) {
  const deadline = { ms: DEADLINE_MS, schedule };
  let tellClosed = () => {};
  const received = { databaseClosed: () => tellClosed() };
  const { connect, disconnect, call } = createRpcClient(recordsContract, { received, deadline });
  const run: Records['run'] = async (command, input) => {
    const reply = await call(command, input);
    if (!reply.ok) throw new RecordsError(reply.code, command, reply.message);
    return reply.output;
  };
  return {
    connect,
    disconnect,
    run,
    /** Called when Chromium has closed the database: the connected window fails in every command from then on. */
    onDatabaseClosed(listener: () => void): void {
      tellClosed = listener;
    },
  };
}
