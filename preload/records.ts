import { ipcRenderer } from 'electron';
import { RECORDS_PORT } from '../shared/channels';

// A MessagePort cannot cross the context bridge; posting it to the page's own window can carry it.
ipcRenderer.on(RECORDS_PORT, (event) => {
  window.postMessage(RECORDS_PORT, location.origin, [...event.ports]);
});

// The browser reads the database's log while the page still loads what opens it. Nothing is made by this, and
// what is wrong with the database is for the page to find.
indexedDB.databases().catch(() => {});
