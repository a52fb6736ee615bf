import { fleetTool } from '../fleet-cli';

/** Runs `fleet-sql` and parses its lines; throws with its output when it fails. */
export async function askFleet(...args: readonly string[]): Promise<Record<string, unknown>[]> {
  return (await printedBy(args)).map((line) => JSON.parse(line));
}

/** The SQL statement that creates the table. */
export const schemaOf = async (...args: readonly string[]) =>
  (await printedBy(['schema', ...args])).join('\n');

async function printedBy(args: readonly string[]): Promise<string[]> {
  const { code, lines, errors } = await fleetTool('fleet-sql', ...args);
  if (code !== 0) throw new Error(`fleet-sql ${args[0]} ended with ${code}:\n${errors}`);
  return lines;
}
