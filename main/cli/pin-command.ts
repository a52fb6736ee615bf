import { hashPin } from '../admin/pin-hash';
import { weaknessInWords, weaknessOf } from '../admin/weak-pin';
import { asksForUsage, type CommandResult, failureOf, printed } from './command-result';

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

const failed = failureOf('pin');

/** Runs `pin`; all input and output is injected. */
export async function runPin(args: readonly string[], process: PinProcess): Promise<CommandResult> {
  if (asksForUsage(args)) return printed(`${PIN_USAGE}\n`);
  // A PIN as an argument would stay in the shell's history.
  if (args.length > 0) return failed(2, 'expected no arguments (--help shows the usage)');
  const { ask } = process;
  let pin: string;
  if (ask === null) {
    const lines = (await process.readInput()).replace(/\r?\n$/, '').split(/\r?\n/);
    if (lines.length !== 1) return failed(1, `expected one line with the PIN, got ${lines.length}`);
    pin = lines[0] ?? '';
  } else {
    const first = await ask('New PIN: ');
    if (first === null) return failed(1, 'cancelled');
    const why = weaknessOf(first);
    if (why !== null) return failed(1, `this PIN is refused. ${weaknessInWords(why)}`);
    const second = await ask('Repeat the PIN: ');
    if (second === null) return failed(1, 'cancelled');
    if (second !== first) return failed(1, 'the two PINs are different. Run the command again');
    pin = first;
  }
  const why = weaknessOf(pin);
  if (why !== null) return failed(1, `this PIN is refused. ${weaknessInWords(why)}`);
  return printed(`${await (process.hash ?? hashPin)(pin)}\n`);
}
