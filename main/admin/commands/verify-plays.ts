import { measureFile, readSmallFile } from './measured-file';
import { runVerifyPlays } from './verify-plays-command';

// The process of `npm run -s verify-plays`: plain Node, no Electron, no network.
void runVerifyPlays(process.argv.slice(2), { read: readSmallFile, measure: measureFile }).then((result) => {
  process.exitCode = result.exitCode;
  process.stdout.write(result.stdout);
  process.stderr.write(result.stderr);
});
