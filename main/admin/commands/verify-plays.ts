import { runCommand } from './commands';

// The process of `npm run -s verify-plays`: plain Node, no Electron, no network.
void runCommand('verify-plays', process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
