import type { ElectronApplication } from 'playwright';

interface Running {
  readonly app: ElectronApplication;
}

/** Id of the process behind the page at this address. */
export const processOf = ({ app }: Running, address: string): Promise<number> =>
  app.evaluate(({ webContents }, url) => {
    const contents = webContents.getAllWebContents().find((one) => one.getURL() === url);
    if (!contents) throw new Error(`no page has the address ${url}`);
    return contents.getOSProcessId();
  }, address);

/** Ids of the processes behind the page at this address and its frames. */
export const processesOf = ({ app }: Running, address: string): Promise<number[]> =>
  app.evaluate(({ webContents }, url) => {
    const page = webContents.getAllWebContents().find((one) => one.getURL() === url);
    return [...new Set(page?.mainFrame.framesInSubtree.map(({ osProcessId }) => osProcessId))];
  }, address);

/** Id of the graphics process; 0 while there is none. */
export const graphicsProcess = ({ app }: Running): Promise<number> =>
  app.evaluate(({ app }) => app.getAppMetrics().find(({ type }) => type === 'GPU')?.pid ?? 0);

/** Crashes the process of the page at this address. */
export const crashPage = ({ app }: Running, address: string): Promise<void> =>
  app.evaluate(
    ({ webContents }, url) =>
      webContents
        .getAllWebContents()
        .find((one) => one.getURL() === url)
        ?.forcefullyCrashRenderer(),
    address,
  );

/** Addresses of all pages: the kiosk's own, guests and pages of the link view. */
export const openAddresses = ({ app }: Running): Promise<string[]> =>
  app.evaluate(({ webContents }) => webContents.getAllWebContents().map((contents) => contents.getURL()));

export const guestCount = ({ app }: Running): Promise<number> =>
  app.evaluate(
    ({ webContents }) => webContents.getAllWebContents().filter((one) => one.getType() === 'webview').length,
  );

/** Ids of the processes of guests that have one; a guest may outlive its process. */
export const guestProcesses = ({ app }: Running): Promise<number[]> =>
  app.evaluate(({ webContents }) =>
    webContents.getAllWebContents().flatMap((one) => {
      const pid = one.getType() === 'webview' ? one.getOSProcessId() : 0;
      return pid > 0 ? [pid] : [];
    }),
  );
