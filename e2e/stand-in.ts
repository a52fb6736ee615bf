import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Writes a shell script that stands in for a program of the system, where `pathWith` names its folder. */
export function standIn(folder: string, name: string, script: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** The environment in which the programs of a folder come before the system's. */
export const pathWith = (folder: string) => ({ PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` });
