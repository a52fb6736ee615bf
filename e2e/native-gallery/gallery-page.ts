import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, resolve, sep } from 'node:path';
import { KIOSK_POLICY } from '../../main/shell/content-policy';

const root = resolve(__dirname, '../..');
const CREATIVES = join(root, 'main/demo-service/creatives');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.woff2': 'font/woff2',
};

interface GalleryPage {
  readonly url: string;
  close(): Promise<void>;
}

/** Builds a gallery folder of `e2e` and serves it on a free loopback port, under the kiosk page's own policy. */
export async function galleryPage(gallery: string): Promise<GalleryPage> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-gallery-'));
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: join(root, 'e2e', gallery),
    logLevel: 'error',
    cacheDir: join(folder, 'cache'),
    build: {
      outDir: join(folder, 'page'),
      // As for the kiosk's own page: only its own Chromium runs it.
      target: 'esnext',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://gallery').pathname;
    const [base, name] = path.startsWith('/creatives/')
      ? [CREATIVES, path.slice('/creatives/'.length)]
      : [join(folder, 'page'), path === '/' ? 'index.html' : path.slice(1)];
    const file = resolve(base, name);
    try {
      if (!file.startsWith(base + sep)) throw new Error('outside');
      const bytes = readFileSync(file);
      response.writeHead(200, {
        'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
        'content-security-policy': KIOSK_POLICY,
      });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
