import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

// Makes Node run TypeScript with the compiler that Vite uses: `node --import ./tools/run/typescript.mjs FILE.ts`, or
// imported before any TypeScript. Imports must name files with their extension. Node needs no help from version 22
// on.

if (isMainThread && !process.features.typescript) {
  // So that stack traces show lines of the sources.
  process.setSourceMapsEnabled(true);
  // Node loads this file again in the thread that reads modules, and calls `load` there.
  register(import.meta.url);
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return await nextLoad(url, context);
  const { transform } = await import('rolldown/utils');
  const path = fileURLToPath(url);
  const { code, map, errors } = await transform(path, await readFile(path, 'utf8'), { sourcemap: true });
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0]?.message}`);
  const inlined = Buffer.from(JSON.stringify(map)).toString('base64');
  const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${inlined}`;
  return { format: 'module', shortCircuit: true, source };
}
