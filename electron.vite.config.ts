import { cpSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { buildDate } from './tools/run/last-commit.mjs';

// Everything is bundled, so that `out/` alone runs: no node_modules beside an installed kiosk.
// What an import() asks for is a chunk of its own, so that a start loads little.
export default defineConfig({
  main: {
    // No clock that is right shows an earlier time (`main/service/server-time.ts`).
    define: { __BUILD_DATE__: JSON.stringify(buildDate(import.meta.dirname)) },
    plugins: [
      {
        // What the embedded demo service reads at run time, beside its bundle.
        name: 'demo-service-files',
        writeBundle() {
          cpSync('main/demo-service/creatives', 'out/main/creatives', {
            recursive: true,
            filter: (source) => !source.endsWith('source'),
          });
          cpSync('main/demo-service/simulator/page', 'out/main/simulator/page', { recursive: true });
        },
      },
    ],
    build: {
      outDir: 'out/main',
      externalizeDeps: false,
      sourcemap: true,
      rolldownOptions: {
        input: {
          entry: 'main/entry.ts',
          index: 'main/index.ts',
          'reading-worker': 'main/reading/worker.ts',
          'demo-service': 'main/demo-service/process.ts',
          command: 'main/cli/process.ts',
        },
        output: { format: 'cjs', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      externalizeDeps: false,
      // A sandboxed preload is one file: it cannot load another.
      isolatedEntries: true,
      rolldownOptions: {
        input: { kiosk: 'preload/kiosk.ts', records: 'preload/records.ts' },
        output: { format: 'cjs', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js' },
      },
    },
  },
  renderer: {
    root: 'renderer',
    plugins: [react()],
    build: {
      outDir: 'out/renderer',
      minify: true,
      // Each page's scripts in as few files as can be: main hands over every one of them, and is busy at a start.
      isolatedEntries: true,
      // The pages' Content-Security-Policy forbids inline scripts and data: modules.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: { kiosk: 'renderer/kiosk/index.html', records: 'renderer/records/index.html' },
      },
    },
  },
});
