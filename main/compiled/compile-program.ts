import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { asFunction, ENDING, seal } from './compiled-code';

/**
 * Has V8 compile the program's `index.js` and `chunks/*.js`, all functions included, and keeps the result beside each
 * for `load-program.ts`. Only the very V8 that does this takes what it has kept. In Electron's main process the same
 * code gives the same bytes, wherever the folder lies: packages can be built again and compared.
 *
 * Throws when a file cannot be read, compiled or written. What is kept by then stays, and is whole or of no use.
 */
export function compileProgram(folder: string): void {
  const chunks = readdirSync(join(folder, 'chunks')).filter((name) => name.endsWith('.js'));
  const names = ['index.js', ...chunks.sort().map((name) => `chunks/${name}`)];
  const made = allFunctions(() =>
    names.map((name) => {
      const code = readFileSync(join(folder, name));
      // V8 notes the name: not with the folder, which differs from one build to the next.
      return { name, code, script: new Script(asFunction(code), { filename: name }) };
    }),
  );
  for (const { name, code, script } of made) {
    const kept = join(folder, name) + ENDING;
    // It may be of an earlier user's, who has left the folder to us.
    rmSync(kept, { force: true });
    writeFileSync(kept, seal(code, script.createCachedData()));
  }
}

/**
 * While this works V8 does not leave functions for their first call. Its flags are as they were afterwards: it
 * keeps a sum of them with what it has compiled, and refuses that under others.
 */
function allFunctions<T>(work: () => T): T {
  setFlagsFromString('--no-lazy');
  try {
    return work();
  } finally {
    setFlagsFromString('--lazy');
  }
}
