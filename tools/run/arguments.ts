import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CommandError } from './say.ts';

/**
 * Takes the options `--NAME VALUE` and `--NAME=VALUE` out of arguments, most of which are for another program. If an
 * option is repeated, the last value counts; an option without a value stays where it is.
 * @returns the values, and all other arguments in their order
 */
export function takeOptions<Name extends string>(args: readonly string[], names: readonly Name[]) {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const values: Partial<Record<Name, string>> = {};
  const taken = new Set<number>();
  for (const token of tokens) {
    if (token.kind !== 'option' || !(token.name in options) || !token.value) continue;
    values[token.name as Name] = token.value;
    taken.add(token.index).add(token.inlineValue ? token.index : token.index + 1);
  }
  return { values, rest: args.filter((_, index) => !taken.has(index)) };
}

/** Throws a `CommandError` that names the option unless its value is a whole number, `from` to `most`. */
export function wholeNumber(option: string, text = '', from = 1, most = 999_999_999): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= from && number <= most) return number;
  const got = text === '' ? 'nothing' : JSON.stringify(text);
  throw new CommandError(`${option}: expected a whole number from ${from} to ${most}, got ${got}`);
}

/**
 * Reads those of the kiosk's arguments that the launcher has to know.
 * @param from the folder where relative paths start
 * @returns absolute paths, and the arguments for the kiosk, which runs in another folder
 */
export function readKioskArguments(args: readonly string[], from: string) {
  const { values, rest } = takeOptions(args, ['config', 'data-dir']);
  const absolute = Object.entries(values).map(([name, path]) => [name, resolve(from, path)] as const);
  const { config, 'data-dir': dataDir }: typeof values = Object.fromEntries(absolute);
  return { config, dataDir, forKiosk: [...absolute.map(([name, path]) => `--${name}=${path}`), ...rest] };
}
