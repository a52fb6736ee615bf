import type { ElectronApplication, Page } from 'playwright';
import { openBareWindow } from '../electron-program';
import { dataFolder } from '../kiosk';
import { galleryPage } from './gallery-page';

/** Folder for pictures of a gallery, if any (`npm run screenshot -- NAME`); they are slow to draw in software. */
export const PICTURES = process.env.ENDCAP_GALLERY;
/** Drawing scale where only the layout is judged; 1 when pictures are stored. */
export const SMALL = PICTURES === undefined ? 0.25 : 1;

/** A gallery in a window of Electron. */
export interface Gallery extends AsyncDisposable {
  readonly app: ElectronApplication;
  readonly page: Page;
  /**
   * Lays it out for a screen of this size, CSS px.
   *
   * @param scale draws the same layout smaller by this factor
   */
  resize(size: { readonly width: number; readonly height: number }, scale?: number): Promise<void>;
}

/** @param name its folder */
export async function openGallery(name: 'native-gallery' | 'admin-gallery'): Promise<Gallery> {
  const served = await galleryPage(name);
  const folder = dataFolder();
  const { app, page } = await openBareWindow(folder.path, served.url);
  const devTools = await page.context().newCDPSession(page);
  return {
    app,
    page,
    async resize({ width, height }, scale = 1) {
      const metrics = { width, height, deviceScaleFactor: 1, mobile: false, scale };
      await devTools.send('Emulation.setDeviceMetricsOverride', metrics);
      await page.waitForFunction(([wide, high]) => innerWidth === wide && innerHeight === high, [
        width,
        height,
      ] as const);
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      folder.remove();
      await served.close();
    },
  };
}
