import { type AdminCommand, type AdminErrorCode, adminCommands, overlayContract } from '../../shared/admin';
import type { Log } from '../../shared/log';
import { type RpcCommands, RpcError, type RpcPort, serveRpc } from '../../shared/rpc';

export type AdminCommands = RpcCommands<typeof overlayContract>;

/** An error that is sent to the caller. */
export class AdminError extends RpcError<AdminErrorCode> {}

/** Most calls under way at once; a page that makes more has a bug. */
const MAX_CALLS = 32;

/**
 * Answers the calls that this session permits. Answers are validated too. An answer for a viewer is not sent if the
 * session was locked meanwhile.
 */
export function answerAdminCalls(parts: {
  readonly port: RpcPort;
  readonly commands: AdminCommands;
  readonly permits: (who: (typeof adminCommands)[AdminCommand]['who']) => boolean;
  readonly log: Log;
}): void {
  const { port, commands, permits, log } = parts;
  let underWay = 0;
  const locked = () => new AdminError('locked', 'The overlay is locked.');

  serveRpc(overlayContract, port, {
    commands,
    received: {},
    async around(command, run) {
      if (underWay >= MAX_CALLS) throw new AdminError('busy', 'Too many calls at once.');
      underWay += 1;
      try {
        const { who, output } = adminCommands[command];
        if (!permits(who)) throw locked();
        const answer = await run();
        if (who === 'viewer' && !permits(who)) throw locked();
        return output.parse(answer);
      } finally {
        underWay -= 1;
      }
    },
    errorOf(error, command) {
      log.error('a call of the overlay failed', { command, error });
      return new AdminError('failed', 'It did not work; the log says why.');
    },
  });
}
