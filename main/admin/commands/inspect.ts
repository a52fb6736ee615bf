import { runCommand } from './commands';

// The process of `npm run -s inspect`: plain Node, no Electron, no network.
void runCommand('inspect', process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
