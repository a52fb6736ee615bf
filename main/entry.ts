import { join } from 'node:path';
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

try {
  // A file of its own: an import would be loaded before the handler above is there.
  require(join(__dirname, 'index.js'));
} catch (thrown) {
  // Thrown from here, Electron would catch it when it runs from source, and show the dialog.
  queueMicrotask(() => {
    throw thrown;
  });
}
