import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { constants, Script } from 'node:vm';
import { asFunction, ENDING, unseal } from './compiled-code';

interface Loading {
  /** For all but the program's own files: what Node and Electron bring. */
  readonly requireOther: Pick<NodeJS.Require, 'main'> & ((name: string) => unknown);
  /** Told of each file whose compiled code is there but does not fit: the file was compiled anew. */
  readonly onMisfit: (file: string) => void;
}

interface LoadedModule {
  exports: unknown;
}

type ModuleFunction = (
  exports: unknown,
  require: (name: string) => unknown,
  module: LoadedModule,
  file: string,
  folder: string,
) => void;

/**
 * Loads a bundled program of CommonJS files, which ask for each other by relative paths, and returns what the first
 * exports. Each file comes with what V8 has compiled of it (`compile-program.ts`), where that is there and fits; else
 * V8 compiles it now, which costs a start some 20 ms of its processor.
 *
 * Throws what `fs` throws for a file that cannot be read, and what a file throws while it is loaded. Such a file is run
 * anew when it is asked for again.
 */
export function loadProgram(file: string, { requireOther, onMisfit }: Loading): unknown {
  const modules = new Map<string, LoadedModule>();
  const load = (path: string): unknown => {
    const known = modules.get(path);
    if (known !== undefined) return known.exports;
    const run = functionOf(path, onMisfit);
    const folder = dirname(path);
    const require = Object.assign(
      (name: string) => (name.startsWith('.') ? load(join(folder, name)) : requireOther(name)),
      { main: requireOther.main },
    );
    const module: LoadedModule = { exports: {} };
    // Before it runs: files may ask for each other in a circle.
    modules.set(path, module);
    try {
      run.call(module.exports, module.exports, require, module, path, folder);
    } catch (fault) {
      modules.delete(path);
      throw fault;
    }
    return module.exports;
  };
  return load(file);
}

function functionOf(path: string, onMisfit: (file: string) => void): ModuleFunction {
  const code = readFileSync(path);
  const kept = readIfThere(path + ENDING);
  const compiled = kept === null ? null : unseal(code, kept);
  const script = new Script(asFunction(code), {
    filename: path,
    // For an import() of what Node brings.
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(compiled === null ? {} : { cachedData: compiled }),
  });
  if (kept !== null && (compiled === null || script.cachedDataRejected === true)) onMisfit(path);
  return script.runInThisContext() as ModuleFunction;
}

/** Whatever keeps it from being read, the code itself is there. */
function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
