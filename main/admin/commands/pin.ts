import { text } from 'node:stream/consumers';
import { askHidden } from './hidden-question';
import { runPin } from './pin-command';

// The process of `npm run -s pin`: plain Node. Questions go to standard error, so that the output can be piped.
const { stdin, stderr } = process;

void runPin(process.argv.slice(2), {
  ask: stdin.isTTY ? (question) => askHidden(question, stdin, (words) => stderr.write(words)) : null,
  readInput: () => text(stdin),
}).then((result) => {
  process.exitCode = result.exitCode;
  process.stdout.write(result.stdout);
  stderr.write(result.stderr);
});
