import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nullIfMissing } from './describe-error';
import { oneByOne } from './turns';

/**
 * Replaces a file in one step: a reader finds either the old or the new content, complete, even after a crash or a
 * power cut. The next write replaces what an interrupted one left (`PATH.tmp`). Writes of one path must not overlap:
 * `createWholeFile` runs them in order.
 *
 * @param content pieces are encoded and written one after the other, because encoding a long text at once would delay
 *   all other work
 * @param mode of the file, even if the old one had another
 */
export async function writeWholeFile(
  path: string,
  content: string | Uint8Array | readonly string[],
  mode: number,
): Promise<void> {
  const temporary = `${path}.tmp`;
  await rm(temporary, { force: true });
  try {
    // `wx` follows no link that somebody may have put there.
    await writeFile(temporary, content, { flag: 'wx', mode, flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

/** The same, but synchronous, for a process that is about to end. Throws if the content did not reach the disk. */
export function writeWholeFileNow(path: string, content: string, mode: number): void {
  const temporary = `${path}.tmp`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, content, { flag: 'wx', mode, flush: true });
  renameSync(temporary, path);
}

/** Makes a rename durable. Ignores errors, because some systems cannot synchronise folders (Windows, some drives). */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close().catch(() => undefined);
}

/** The value of a JSON text; null if the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const readUtf8 = (path: string): Promise<string> => readFile(path, 'utf8');

/** A file's text; null if there is no such file. Rejects if it cannot be read now, because its content may be good. */
export const readTextIfThere = (path: string, readText = readUtf8): Promise<string | null> =>
  readText(path).catch(nullIfMissing);

/** Parses a value, and throws if it is invalid, as the schemas of zod do. */
export interface Shape<Value> {
  readonly parse: (json: unknown) => Value;
}

/**
 * The value of a JSON file; null if the file is missing or invalid. Rejects like `readTextIfThere`.
 *
 * @param how.onBroken called with the error of an invalid file
 */
export async function readJsonIfThere<Value>(
  path: string,
  shape: Shape<Value>,
  how: { readonly onBroken?: (error: unknown) => void; readonly readText?: typeof readUtf8 } = {},
): Promise<Value | null> {
  const text = await readTextIfThere(path, how.readText);
  try {
    return text === null ? null : shape.parse(JSON.parse(text));
  } catch (error) {
    how.onBroken?.(error);
    return null;
  }
}

/** A file that is only replaced as a whole, by one write after the other. */
export function createWholeFile(path: string, mode: number) {
  const inOrder = oneByOne();
  return {
    path,
    /** Rejects when this content did not reach the disk; later writes are still tried. */
    write: (content: string) => inOrder(() => writeWholeFile(path, content, mode)),
    /** Removes the file, if there is one. */
    remove: () =>
      inOrder(async () => {
        await rm(path, { force: true });
        await syncFolder(dirname(path));
      }),
  };
}
