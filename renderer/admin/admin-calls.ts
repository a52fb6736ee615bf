import {
  type AdminCommand,
  AdminErrorCode,
  type AdminInput,
  type AdminNews,
  type AdminOutput,
  overlayContract,
} from '../../shared/admin';
import { createRpcClient, type RpcPort } from '../../shared/rpc';

export type Reply<C extends AdminCommand> =
  | { readonly ok: true; readonly output: AdminOutput<C> }
  | { readonly ok: false; readonly code: AdminErrorCode; readonly message: string };

export type AdminCalls = ReturnType<typeof adminCalls>;

export function adminCalls(port: RpcPort, onNews: (news: AdminNews) => void) {
  const client = createRpcClient(overlayContract, { received: { news: onNews } });
  client.connect(port);
  return {
    /** Never rejects. An answer that breaks the contract is an error with the code `failed`. */
    async ask<C extends AdminCommand>(command: C, input: AdminInput<C>): Promise<Reply<C>> {
      const reply = await client.call(command, input);
      if (reply.ok) return reply;
      const { success, data: code } = AdminErrorCode.safeParse(reply.code);
      return success
        ? { ok: false, code, message: reply.message }
        : { ok: false, code: 'failed', message: `The answer to ${command} was not understood.` };
    },
  };
}
