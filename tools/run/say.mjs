import { performance } from 'node:perf_hooks';

/**
 * Everything the set-up tells a person goes to standard error: standard output
 * belongs to the command that was asked for.
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`endcap: ${line}\n`);
}

/**
 * Says something that must not be overlooked, in a box.
 * @param {string[]} lines
 */
export function sayLoudly(lines) {
  const width = Math.max(...lines.map((line) => line.length));
  const rule = '='.repeat(width + 6);
  process.stderr.write(
    `\n${rule}\n${lines.map((line) => `!! ${line.padEnd(width)} !!`).join('\n')}\n${rule}\n\n`,
  );
}

/** An end that was foreseen: its message tells the person what to do, a stack trace would not help. */
export class SetUpStop extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'SetUpStop';
  }
}

/** A wait shorter than this needs no words. */
const SILENT_MS = 2_000;
const REPEAT_MS = 5_000;

/**
 * Runs `work` and tells what is going on once it has taken two seconds, then every five.
 * @template T
 * @param {string} label what is being done, as in "Downloading Electron"
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(label, work) {
  const began = performance.now();
  let spoke = false;
  const tell = () => {
    const seconds = Math.round((performance.now() - began) / 1000);
    say(`${label} … ${seconds} s`);
    spoke = true;
  };
  /** @type {NodeJS.Timeout | undefined} */
  let repeat;
  const first = setTimeout(() => {
    tell();
    repeat = setInterval(tell, REPEAT_MS);
  }, SILENT_MS);
  try {
    const result = await work();
    if (spoke) say(`${label}: done after ${((performance.now() - began) / 1000).toFixed(1)} s`);
    return result;
  } finally {
    clearTimeout(first);
    clearInterval(repeat);
  }
}

/**
 * Runs a command of ours and turns what it throws into an exit code and, for a
 * foreseen end, into a last line that says what to do.
 * @param {() => Promise<number>} main resolves with the exit code
 */
export async function asCommand(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (error instanceof SetUpStop) process.stderr.write(`${error.message}\n`);
    else console.error(error);
    process.exitCode = 1;
  }
}
