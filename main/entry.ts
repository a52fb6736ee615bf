import { join } from 'node:path';
import { asError, describeError } from './describe-error';
import { ERROR_EXIT_CODE, endOnErrors } from './end-on-errors';

// First of all, because Electron shows a dialog for an unhandled error (rule 25). The program replaces this handler.
endOnErrors((thrown) => {
  try {
    console.error(`Endcap could not start: ${describeError(asError(thrown))}`);
  } finally {
    process.exit(ERROR_EXIT_CODE);
  }
});

try {
  // A `require` of a separate file, because an import would run before the handler above is set.
  require(join(__dirname, 'index.js'));
} catch (thrown) {
  // Thrown later, because Electron catches an error of this file when it runs from source, and shows the dialog.
  queueMicrotask(() => {
    throw thrown;
  });
}
