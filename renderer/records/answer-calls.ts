import {
  type RecordsAnswer,
  RecordsCall,
  type RecordsCommand,
  type RecordsFaultCode,
  recordsCommands,
} from '../../shared/records';
import { BooksConflict } from './books-conflict';
import type { RecordsCommands } from './commands';
import { createWritingLine, type WritingLine } from './writing-line';

/** What a message port does, as far as it is needed here. */
export interface Port {
  post(answer: RecordsAnswer): void;
  listen(listener: (message: unknown) => void): void;
}

const isCommand = (name: string): name is RecordsCommand => Object.hasOwn(recordsCommands, name);

/** Serves the commands on a port: every well-formed call gets exactly one answer. */
export function answerCalls(port: Port, commands: RecordsCommands): void {
  const inLine = createWritingLine();
  port.listen(async (data) => {
    const message = RecordsCall.safeParse(data);
    if (!message.success) return; // Without a number there is nobody to answer.
    port.post(await answer(message.data, commands, inLine));
  });
}

async function answer(
  { call, command, input }: RecordsCall,
  commands: RecordsCommands,
  inLine: WritingLine,
): Promise<RecordsAnswer> {
  const refuse = (code: RecordsFaultCode, text: string): RecordsAnswer => ({
    call,
    ok: false,
    code,
    message: text,
  });
  if (!isCommand(command)) return refuse('unknown-command', `no command is named ${command.slice(0, 50)}`);
  const parsed = recordsCommands[command].input.safeParse(input);
  if (!parsed.success)
    return refuse(
      'invalid',
      `${command}: ${parsed.error.issues[0]?.path.join('.')}: ${parsed.error.issues[0]?.message}`,
    );
  try {
    // The input was parsed by this very command's schema.
    const run = commands[command] as (value: unknown) => Promise<unknown>;
    return { call, ok: true, output: await inLine(command, () => run(parsed.data)) };
  } catch (fault) {
    if (fault instanceof BooksConflict) return refuse('conflict', fault.message);
    return refuse('storage', fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault));
  }
}
