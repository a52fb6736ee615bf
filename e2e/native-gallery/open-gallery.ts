import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { build, preview } from 'vite';
import { KIOSK_POLICY } from '../../main/shell/content-policy';
import { openBareWindow } from '../electron-program';
import { dataFolder, root } from '../kiosk';

/** Folder for pictures of a gallery, if any (`npm run screenshot -- NAME`); they are slow to draw in software. */
export const PICTURES = process.env.ENDCAP_GALLERY;
/** Drawing scale where only the layout is judged; 1 when pictures are stored. */
export const SMALL = PICTURES === undefined ? 0.25 : 1;

export type Gallery = Awaited<ReturnType<typeof openGallery>>;

/**
 * Opens a gallery in a window of Electron.
 *
 * @param name its folder
 */
export async function openGallery(name: 'native-gallery' | 'admin-gallery') {
  const built = dataFolder();
  const served = await serve(name, built.path);
  const folder = dataFolder();
  const { app, page } = await openBareWindow(folder.path, served.resolvedUrls?.local[0] ?? '');
  const devTools = await page.context().newCDPSession(page);
  return {
    app,
    page,
    /**
     * Lays it out for a screen of this size, CSS px.
     *
     * @param scale draws the same layout smaller by this factor
     */
    async resize(
      { width, height }: { readonly width: number; readonly height: number },
      scale = 1,
    ): Promise<void> {
      const metrics = { width, height, deviceScaleFactor: 1, mobile: false, scale };
      await devTools.send('Emulation.setDeviceMetricsOverride', metrics);
      await page.waitForFunction(([wide, high]) => innerWidth === wide && innerHeight === high, [
        width,
        height,
      ] as const);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await app.close();
      folder.remove();
      await served.close();
      built.remove();
    },
  };
}

/** Builds it into a folder, and serves it with the demo's creatives under the kiosk page's own policy. */
async function serve(name: string, folder: string) {
  const outDir = join(folder, 'page');
  const how = { configFile: false, root: join(root, 'e2e', name), logLevel: 'error' } as const;
  await build({
    ...how,
    cacheDir: join(folder, 'cache'),
    build: {
      outDir,
      // As for the kiosk's own page: only its own Chromium runs it.
      target: 'esnext',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
  cpSync(join(root, 'main/demo-service/creatives'), join(outDir, 'creatives'), { recursive: true });
  return await preview({
    ...how,
    // A creative that does not exist is not found.
    appType: 'mpa',
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0, headers: { 'content-security-policy': KIOSK_POLICY } },
  });
}
