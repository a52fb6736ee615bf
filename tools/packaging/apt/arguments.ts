import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { callerFolder } from '../../run/places.ts';
import { CommandError } from '../../run/say.ts';
import type { Window } from './window.ts';

const USAGE = `usage: npm run apt-repository -- --out DIR --key KEY [--url URL] [--percent N] [--window HH:MM-HH:MM] [--withdraw] [PACKAGE.deb …]
  --out DIR        the repository's folder; DIR/public is what a web server gives to kiosks
  --key KEY        what signs it: a key's name in your gpg keyring, or a file that holds a secret key
  --url URL        where kiosks find DIR/public; needed the first time
  --percent N      the share of kiosks that take the newest version, 1 to 100; default: 100 for a new version
  --window A-B     when kiosks update, in their local time, outside opening hours; default: 02:00-04:00
  --withdraw       no more kiosks take the newest version; those that have it keep it`;

/** The parsed arguments. Null values stay as they are in an existing repository. */
export interface Wanted {
  readonly out: string;
  readonly key: string;
  readonly url: string | null;
  readonly percent: number | null;
  readonly window: Window | null;
  readonly withdraw: boolean;
  readonly packages: readonly string[];
}

/** Throws with the usage for invalid arguments. */
export function readArguments(args: readonly string[]): Wanted {
  const { values, positionals } = parsed(args);
  const { out, key, url, percent, window, withdraw = false } = values;
  if (out === undefined || key === undefined) throw wrong('--out and --key are needed');
  if (withdraw && positionals.length > 0) throw wrong('expected no package together with --withdraw');
  const file = (path: string) => resolve(callerFolder(), path);
  const packages = positionals.map(file);
  const absent = packages.find((path) => !existsSync(path));
  if (absent !== undefined) throw wrong(`there is no file ${absent}`);
  return {
    out: file(out),
    key: existsSync(file(key)) ? file(key) : key,
    withdraw,
    packages,
    url: url === undefined ? null : urlOf(url),
    percent: percent === undefined ? null : percentOf(percent),
    window: window === undefined ? null : windowOf(window),
  };
}

function parsed(args: readonly string[]) {
  const option = { type: 'string' } as const;
  const withdraw = { type: 'boolean' } as const;
  const options = { out: option, key: option, url: option, percent: option, window: option, withdraw };
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}

function urlOf(text: string): string {
  const url = URL.parse(text);
  const isFit = url !== null && /^(https?|file):$/.test(url.protocol) && !/[\s\]]/.test(text);
  if (!isFit) throw wrong(`--url is ${text}, and not an address that begins with https:, http: or file:`);
  return text.replace(/\/+$/, '');
}

function percentOf(text: string): number {
  const percent = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(percent >= 1 && percent <= 100))
    throw wrong(`--percent is ${text}, and not a whole number from 1 to 100`);
  return percent;
}

function windowOf(text: string): Window {
  const [, from, to] = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d)$/.exec(text) ?? [];
  if (from === undefined || to === undefined || from === to)
    throw wrong(`--window is ${text}, and not two times such as 02:00-04:00`);
  return { from, to };
}

function wrong(what: string): CommandError {
  return new CommandError(`endcap: ${what}.\n${USAGE}`);
}
