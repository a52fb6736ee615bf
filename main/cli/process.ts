import { runCommand } from './commands';

// The process of npm scripts such as `npm run -s inspect`: plain Node, no Electron, no network.
const [name = '', ...args] = process.argv.slice(2);
void runCommand(name, args).then((exitCode) => {
  process.exitCode = exitCode;
});
