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

/** Creates the database in a folder that has none and that no kiosk uses, on the records page's origin. */
export async function writeBareDatabase(folder: string, database: BareDatabase): Promise<void> {
  const { app, page } = await openBareWindow(folder, 'endcap://records/');
  try {
    await page.evaluate(
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
    );
  } finally {
    await app.close();
  }
}
