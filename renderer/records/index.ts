import { RECORDS_PORT } from '../../shared/channels';
import { answerCalls, recordsCommandsOn } from './commands';
import { openDatabase } from './database';

const database = openDatabase();
// At once, while main still builds what will ask for it. Should it fail, the first command tells.
database.open().catch(() => {});
const commands = recordsCommandsOn(database);

window.addEventListener('message', (event) => {
  // Only the preload of this very page hands over a port.
  if (event.source !== window || event.origin !== location.origin || event.data !== RECORDS_PORT) return;
  const port = event.ports[0];
  if (!port) return;
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
