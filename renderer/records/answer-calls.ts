import { recordsContract } from '../../shared/records';
import { RpcError, type RpcPort, serveRpc } from '../../shared/rpc';
import type { RecordsCommands } from './commands';
import { BooksConflict } from './database';

/** Serves the commands on a port. */
export function answerCalls(port: RpcPort, commands: RecordsCommands): void {
  serveRpc(recordsContract, port, {
    commands,
    received: {},
    errorOf(error) {
      if (error instanceof BooksConflict) return new RpcError('conflict', error.message);
      return new RpcError(
        'storage',
        error instanceof Error ? `${error.name}: ${error.message}` : String(error),
      );
    },
  });
}
