import { type AdminCommand, type AdminFaultCode, adminCommands, overlayContract } from '../../shared/admin';
import type { Log } from '../../shared/log';
import { type RpcCommands, RpcError, type RpcPort, serveRpc } from '../../shared/rpc';

export type AdminCommands = RpcCommands<typeof overlayContract>;

/** A call that is refused: for the one who asked, in words. */
export class Refusal extends RpcError<AdminFaultCode> {}

/** Calls under way at once; a page that asks for more is broken. */
const MOST_CALLS = 32;

/**
 * Answers calls that this session permits. What is answered is checked too, and
 * an answer that is ready only after the session was locked is not given away.
 */
export function answerAdminCalls(parts: {
  readonly port: RpcPort;
  readonly commands: AdminCommands;
  readonly permits: (who: (typeof adminCommands)[AdminCommand]['who']) => boolean;
  readonly log: Log;
}): void {
  const { port, commands, permits, log } = parts;
  let underWay = 0;
  const locked = () => new Refusal('locked', 'The overlay is locked.');

  serveRpc(overlayContract, port, {
    commands,
    received: {},
    async around(command, run) {
      if (underWay >= MOST_CALLS) throw new Refusal('busy', 'Too many calls at once.');
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
    errorOf(fault, command) {
      log.error('a call of the overlay failed', { command, fault });
      return new Refusal('failed', 'It did not work; the log says why.');
    },
  });
}
