import { ipcRenderer } from 'electron';
import { RECORDS_PORT } from '../shared/channels';

// The browser reads the database's log while the page still loads what opens it. Nothing is made by this, and
// what is wrong with the database is for the page to find.
indexedDB.databases().catch(() => {});

// Asked for at once: it comes while the page's script loads, which listens by the time the document is whole.
const scriptHasRun = new Promise<void>((resolve) =>
  window.addEventListener('DOMContentLoaded', () => resolve(), { once: true }),
);
// A MessagePort cannot cross the context bridge; posting it to the page's own window can carry it.
ipcRenderer.on(RECORDS_PORT, async (event) => {
  await scriptHasRun;
  window.postMessage(RECORDS_PORT, location.origin, [...event.ports]);
});
// Under a debugger this runs in the empty document before the page as well, which has no use for a port.
if (location.protocol !== 'about:') ipcRenderer.send(RECORDS_PORT);
