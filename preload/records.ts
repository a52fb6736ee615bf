import { ipcRenderer } from 'electron';
import { RECORDS_PORT } from '../shared/channels';

// Makes the browser read the database's log while the page's script still loads. This creates nothing, and errors are
// ignored, because the page reports them when it opens the database.
indexedDB.databases().catch(() => {});

// The port is requested at once, below, and may come while the page's script still loads. The script listens when the
// document is complete.
const scriptHasRun = new Promise<void>((resolve) =>
  window.addEventListener('DOMContentLoaded', () => resolve(), { once: true }),
);
// A MessagePort cannot cross the context bridge, but can be posted to the page's own window.
ipcRenderer.on(RECORDS_PORT, async (event) => {
  await scriptHasRun;
  window.postMessage(RECORDS_PORT, location.origin, [...event.ports]);
});
// Under a debugger this script also runs in the empty document before the page, which needs no port.
if (location.protocol !== 'about:') ipcRenderer.send(RECORDS_PORT);
