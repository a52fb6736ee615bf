import {
  type AdminCommand,
  type AdminFaultCode,
  type AdminInput,
  AdminMessage,
  type AdminOutput,
  adminCommands,
} from '../../shared/admin';
import type { HeldLine } from './held-line';

export type Reply<C extends AdminCommand> =
  | { readonly ok: true; readonly output: AdminOutput<C> }
  | { readonly ok: false; readonly code: AdminFaultCode; readonly message: string };

/** What main tells without being asked. */
export type Told = Exclude<AdminMessage, { kind: 'answer' | 'refusal' }>;

export interface AdminCalls {
  /** Never rejects. An answer that breaks the contract is a refusal with the code `failed`. */
  ask<C extends AdminCommand>(command: C, input: AdminInput<C>): Promise<Reply<C>>;
}

/** Numbers the calls and brings answers and callers together; messages that break the contract are dropped. */
export function adminCalls(line: HeldLine, onTold: (message: Told) => void): AdminCalls {
  const open = new Map<number, (message: AdminMessage) => void>();
  let calls = 0;
  line.listen((raw) => {
    const parsed = AdminMessage.safeParse(raw);
    if (!parsed.success) return;
    const message = parsed.data;
    if (message.kind !== 'answer' && message.kind !== 'refusal') {
      onTold(message);
      return;
    }
    const settle = open.get(message.call);
    open.delete(message.call);
    settle?.(message);
  });
  return {
    ask(command, input) {
      calls += 1;
      const call = calls;
      return new Promise((resolve) => {
        open.set(call, (message) => {
          if (message.kind === 'refusal') {
            resolve({ ok: false, code: message.code, message: message.message });
          } else if (message.kind === 'answer') {
            const output = adminCommands[command].output.safeParse(message.output);
            resolve(
              output.success
                ? { ok: true, output: output.data as AdminOutput<typeof command> }
                : { ok: false, code: 'failed', message: `The answer to ${command} was not understood.` },
            );
          }
        });
        line.call({ call, command, input });
      });
    },
  };
}
