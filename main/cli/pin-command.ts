import { hashPin } from '../admin/pin-hash';
import { isWeakPin, PIN_RULE } from '../admin/weak-pin';
import { CommandError, command, printed, UsageError } from './command-result';

const PIN_USAGE = `Usage: pin

Asks for a PIN twice and prints the hash that "admin.pinHash" of the settings
takes. Without a terminal the PIN is the one line on standard input.

Exit status: 0 the hash was printed, 1 the PIN was refused, 2 wrong usage.`;

/** Where the PIN comes from. */
export interface PinProcess {
  /**
   * Asks on the terminal without showing what is typed; resolves to null when
   * cancelled. Null where there is no terminal.
   */
  readonly ask: ((question: string) => Promise<string | null>) | null;
  /** All of standard input. */
  readonly readInput: () => Promise<string>;
  readonly hash?: typeof hashPin;
}

/** Runs `pin`; all input and output is injected. */
export const runPin = command(
  'pin',
  PIN_USAGE,
  {},
  async ({ words }, { ask, readInput, hash = hashPin }: PinProcess) => {
    // A PIN as an argument would stay in the shell's history.
    if (words.length > 0) throw new UsageError('expected no arguments (--help shows the usage)');
    const pin = ask === null ? onlyLine(await readInput()) : await answerTo('New PIN: ', ask);
    if (isWeakPin(pin)) throw new CommandError(`this PIN is refused. ${PIN_RULE}`);
    if (ask !== null && (await answerTo('Repeat the PIN: ', ask)) !== pin)
      throw new CommandError('the two PINs are different. Run the command again');
    return printed(`${await hash(pin)}\n`);
  },
);

function onlyLine(input: string): string {
  const [line = '', ...more] = input.replace(/\r?\n$/, '').split(/\r?\n/);
  if (more.length === 0) return line;
  throw new CommandError(`expected one line with the PIN, got ${more.length + 1}`);
}

async function answerTo(question: string, ask: NonNullable<PinProcess['ask']>): Promise<string> {
  const answer = await ask(question);
  if (answer === null) throw new CommandError('cancelled');
  return answer;
}
