import { markdownTable } from '../tables';

/** What the rows were measured on. */
export interface Machine {
  readonly cores: number;
  /** Whether a graphics processor composites the pictures. */
  readonly hasGraphics: boolean;
  readonly display: string;
}

const HEAD = ['what', 'fault', 'the shopper saw', 'lost', 'healed after', 'how'];

/** The lines as a Markdown table with its head. */
export const tableOf = (lines: readonly string[]): string => markdownTable(HEAD, lines.map(cellsOf));

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/**
 * The document of all faults, with the lines of this run in place of earlier ones.
 *
 * @param before the document so far; empty: there is none
 * @param ran the lines of this run
 * @param order the names of all faults, in the order of the table
 */
export function faultDocument(
  before: string,
  ran: readonly string[],
  order: readonly string[],
  machine: Machine,
): string {
  const known = new Map(byFault([...before.split('\n'), ...ran]));
  const lines = order.flatMap((fault) => known.get(fault) ?? []);
  const graphics = machine.hasGraphics
    ? 'a graphics processor'
    : 'no graphics processor (software rendering)';
  return `# What happens when something breaks

Written by \`npm run faults\`; do not edit. \`npm run faults -- WORDS,WORDS\` does the faults whose \`what: fault\` holds one of the WORDS, and renews their rows alone.

Measured on a machine with ${machine.cores} cores and ${graphics}, on a virtual display of ${machine.display}, with slots of one second. Something that starts the kiosk over at once when it ends stands in for the service manager; systemd waits for as long as its unit says.

- **The shopper saw**: what the middle of the real display showed, thirty times a second, that was not the next ad in time. "Nothing": slot followed slot.
- **Lost**: plays that were settled before the fault and are not in the books after it as they were. Where the whole database is gone, its rows of plays are too; then the counters that caps are decided by come back from snapshot and journal, and the log tells the loss in these numbers.
- **Healed after**: from the fault to the end of the last thing that was not as it should be; a fault that lasts counts from its beginning.

${tableOf(lines)}

${lines.length} faults.
`;
}

/** The lines of a document that are rows of the table, by the name of their fault. */
const byFault = (lines: readonly string[]): Array<[fault: string, line: string]> =>
  lines.flatMap((line) => {
    const [, fault = ''] = cellsOf(line);
    return fault === '' || fault === 'fault' || /^-+$/.test(fault) ? [] : [[fault, line]];
  });
