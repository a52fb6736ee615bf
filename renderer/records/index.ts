import { RECORDS_PORT } from '../../shared/channels';
import { recordsContract } from '../../shared/records';
import { oneWaySender } from '../../shared/rpc';
import { answerCalls, recordsCommandsOn } from './commands';
import { openDatabase, stayClosed } from './database';

const database = openDatabase();
// Opened at once, while main is still starting. If it fails, the first command reports the error.
database.open().catch(() => {});
const commands = recordsCommandsOn(database);

window.addEventListener('message', (event) => {
  // Only the preload of this very page hands over a port.
  if (event.source !== window || event.origin !== location.origin || event.data !== RECORDS_PORT) return;
  const port = event.ports[0];
  if (!port) return;
  const tell = oneWaySender({ send: (message) => port.postMessage(message) }, recordsContract.fromServer);
  stayClosed(database, () => tell('databaseClosed', null));
  answerCalls(
    {
      send: (answer) => port.postMessage(answer),
      onMessage: (listener) => {
        port.onmessage = ({ data }) => listener(data);
      },
    },
    commands,
  );
});
