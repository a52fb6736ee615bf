import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing } from './describe-error';
import { oneByOne } from './turns';

/**
 * Replaces a file in one step: whoever reads it, and whatever ends the process or
 * the power, finds the old content or the new one, whole and on the disk. What a
 * write that was cut off leaves (`PATH.tmp`) gives way to the next one; writes of
 * one path must not overlap, `createWholeFile` puts them in order.
 *
 * @param content pieces are encoded and written one after the other: of a long text at once everything else
 * would wait
 * @param mode of the file, also where the old one had another
 */
export async function writeWholeFile(
  path: string,
  content: string | Uint8Array | readonly string[],
  mode: number,
): Promise<void> {
  const temporary = `${path}.tmp`;
  await rm(temporary, { force: true });
  // `wx`: no link that somebody put there is followed.
  const file = await open(temporary, 'wx', mode);
  try {
    await file.writeFile(content);
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

/** The same for a process that is about to end: done when it returns. Throws when it did not reach the disk. */
export function writeWholeFileNow(path: string, content: string, mode: number): void {
  const temporary = `${path}.tmp`;
  rmSync(temporary, { force: true });
  const file = openSync(temporary, 'wx', mode);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

/** Makes a rename durable; where folders cannot be synchronised (Windows, some drives) nothing is lost by trying. */
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

/** A file's text; null where it is missing. Rejects where it is there and cannot be read now: it may be good. */
export async function readTextIfThere(path: string, readText = readUtf8): Promise<string | null> {
  try {
    return await readText(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** A shape that throws for what is something else, as those of zod do. */
export interface Shape<Value> {
  readonly parse: (json: unknown) => Value;
}

/**
 * What such a file holds as JSON; null where it is missing, broken or something else. Rejects like the text.
 *
 * @param how.onBroken called with the error where it is broken or something else
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

/** A file that is only ever replaced as a whole, by one write after the other. */
export function createWholeFile(path: string, mode: number) {
  const inOrder = oneByOne();
  return {
    path,
    /** Rejects when this content did not reach the disk; later writes are tried all the same. */
    write: (content: string) => inOrder(() => writeWholeFile(path, content, mode)),
    /** Takes it away; fine when there is none. */
    remove: () =>
      inOrder(async () => {
        await rm(path, { force: true });
        await syncFolder(dirname(path));
      }),
  };
}
