import { join } from 'node:path';
import { loadProgram } from './compiled/load-program';
import { asError, describeError } from './describe-error';
import { ERROR_EXIT_CODE, endOnErrors } from './end-on-errors';

// Before anything else runs: Electron shows a dialog for an error otherwise (rule 25). The program takes over from this.
endOnErrors((thrown) => {
  try {
    console.error(`Endcap could not start: ${describeError(asError(thrown))}`);
  } finally {
    process.exit(ERROR_EXIT_CODE);
  }
});

// The program is index.ts; it comes with what V8 has compiled of it.
let told = false;
loadProgram(join(__dirname, 'index.js'), {
  requireOther: require,
  onMisfit: (file) => {
    if (told) return;
    told = true;
    console.warn(
      `Endcap starts slower: what is compiled of ${file} does not fit this Electron and its flags.`,
    );
  },
});
