import { runCommand } from './commands';

// The process of `npm run -s pin`: plain Node, no Electron, no network.
void runCommand('pin', process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
