import { compileProgram } from './compile-program';

// ELECTRON out/main/compile.js FOLDER: run by the set-up with the Electron that is going to run the program.
const folder = process.argv.at(-1) ?? '';
try {
  compileProgram(folder);
  process.exit(0);
} catch (fault) {
  // Uncaught, it would wait in a window for somebody to read it.
  console.error(`Could not compile the program in ${folder}:`, fault);
  process.exit(1);
}
