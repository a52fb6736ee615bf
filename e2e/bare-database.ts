import type { Page } from 'playwright';
import { openBareWindow } from './electron-program';

/** The database of a data folder as IndexedDB has it, whatever version of Endcap wrote it. */
export interface BareDatabase {
  /** IndexedDB's number: ten times Dexie's. */
  readonly version: number;
  readonly tables: Readonly<Record<string, BareTable>>;
}

interface BareTable {
  readonly keyPath: string | string[] | null;
  readonly autoIncrement: boolean;
  readonly indexes: ReadonlyArray<{
    readonly name: string;
    readonly keyPath: string | string[];
    readonly unique: boolean;
    readonly multiEntry: boolean;
  }>;
  readonly rows: readonly unknown[];
}

/** Runs `run` on the records page's origin, in a data folder that no kiosk uses. */
async function onBarePage<T>(folder: string, run: (page: Page) => Promise<T>): Promise<T> {
  const { app, page } = await openBareWindow(folder, 'endcap://records/');
  try {
    return await run(page);
  } finally {
    await app.close();
  }
}

/** Reads the whole database. */
export function readBareDatabase(folder: string): Promise<BareDatabase> {
  return onBarePage(folder, (page) =>
    page.evaluate(
      () =>
        new Promise<BareDatabase>((done, failed) => {
          const opening = indexedDB.open('endcap');
          opening.onerror = () => failed(opening.error);
          opening.onsuccess = async () => {
            const database = opening.result;
            const tables: Record<string, BareTable> = {};
            for (const name of database.objectStoreNames) {
              const store = database.transaction(name).objectStore(name);
              const rows = await new Promise<unknown[]>((all, broken) => {
                const asked = store.getAll();
                asked.onsuccess = () => all(asked.result);
                asked.onerror = () => broken(asked.error);
              });
              const { keyPath, autoIncrement } = store;
              const indexes = [...store.indexNames].map((index) => {
                const { keyPath: path, unique, multiEntry } = store.index(index);
                return { name: index, keyPath: path, unique, multiEntry };
              });
              tables[name] = { keyPath, autoIncrement, indexes, rows };
            }
            done({ version: database.version, tables });
          };
        }),
    ),
  );
}

/** Creates the database in a folder that has none. */
export function writeBareDatabase(folder: string, database: BareDatabase): Promise<void> {
  return onBarePage(folder, (page) =>
    page.evaluate(
      ({ version, tables }) =>
        new Promise<void>((done, failed) => {
          const opening = indexedDB.open('endcap', version);
          opening.onerror = () => failed(opening.error);
          opening.onupgradeneeded = () => {
            for (const [name, { keyPath, autoIncrement, indexes, rows }] of Object.entries(tables)) {
              const store = opening.result.createObjectStore(name, { keyPath, autoIncrement });
              for (const { name: index, keyPath: path, unique, multiEntry } of indexes)
                store.createIndex(index, path, { unique, multiEntry });
              for (const row of rows) store.put(row);
            }
          };
          opening.onsuccess = () => {
            opening.result.close();
            done();
          };
        }),
      database,
    ),
  );
}
