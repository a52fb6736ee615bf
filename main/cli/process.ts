import { asError, describeError } from '../describe-error';
import { ERROR_EXIT_CODE, endOnErrors } from '../end-on-errors';
import { runCommand } from './commands';

// Node would print the built line of the error with it: a whole file.
endOnErrors((thrown) => {
  console.error(describeError(asError(thrown)));
  process.exit(ERROR_EXIT_CODE);
});

// The process of npm scripts such as `npm run -s inspect`: plain Node, no Electron, no network.
const [name = '', ...args] = process.argv.slice(2);
void runCommand(name, args).then((exitCode) => {
  process.exitCode = exitCode;
});
