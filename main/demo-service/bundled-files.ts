import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { MEDIA_TYPES, type MediaEntry, mediaEntry } from './media-endpoint';

/**
 * A folder that belongs to this code: beside the source, or beside the built
 * file (also one level up, should the bundler have put this code into a chunk).
 */
export function ownFolder(name: string): string {
  const candidates = [join(__dirname, name), join(__dirname, '..', name)];
  const found = candidates.find((folder) => existsSync(folder));
  if (found === undefined) throw new Error(`expected the folder "${name}" beside ${__dirname}`);
  return found;
}

/** The media files directly inside a folder, by name. */
export function readMediaFolder(folder: string): Map<string, MediaEntry> {
  const entries = new Map<string, MediaEntry>();
  for (const name of readdirSync(folder)) {
    const type = MEDIA_TYPES[extname(name)];
    if (type === undefined) continue;
    const file = join(folder, name);
    entries.set(name, mediaEntry(readFileSync(file), type, statSync(file).mtimeMs));
  }
  return entries;
}
