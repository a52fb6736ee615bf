import { app } from 'electron';
import { reuseCompiledCode } from './shell/compiled-code';
import { readStartOptions } from './shell/start-options';

// As little as can be: what is loaded from here on may come compiled.
const options = readStartOptions(process.argv, process.cwd());
if (options.command !== null) {
  const { name, args } = options.command;
  void import('./admin/commands/commands')
    .then(({ runCommand }) => runCommand(name, args))
    .then((exitCode) => app.exit(exitCode));
} else {
  if (options.dataDir !== null) app.setPath('userData', options.dataDir);
  reuseCompiledCode(app.getPath('userData'));
  // Before Electron is ready: this is loaded within the same turn.
  void import('./start').then(({ startPlayer }) => startPlayer(options, __dirname));
}
