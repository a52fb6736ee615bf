import { mkdirSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

/**
 * Has Node keep main's code, as V8 compiled it, in the data folder and take it from
 * there: compiling is a twentieth of a start. To be called before that code is
 * loaded. What is missing there, damaged or of another version is compiled anew.
 */
export function reuseCompiledCode(dataDirectory: string): void {
  const folder = join(dataDirectory, 'compiled');
  try {
    // What main runs is for nobody else to write (rule 23).
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    enableCompileCache(folder);
  } catch {
    // A disk that takes nothing costs every start that time, and no more.
  }
}

/**
 * Stores what has been compiled since the start, where it can be. Node would do so
 * at an orderly end; a kiosk's power is cut.
 */
export function storeCompiledCode(): void {
  flushCompileCache();
}
