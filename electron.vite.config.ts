import { cpSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { buildDate } from './tools/packaging/last-commit.ts';

/** One other letter in a script, and V8 holds all of it with two bytes a letter, and takes a third longer to compile it. */
const ASCII = { charset: 'ascii' } as const;

// Everything is bundled, so that an installed kiosk needs only `out/` and no node_modules.
// Each import() gets its own chunk, so that little is loaded at the start.
export default defineConfig({
  main: {
    // A correct clock never shows an earlier time than this (`main/service/server-time.ts`).
    define: { __BUILD_DATE__: JSON.stringify(buildDate(import.meta.dirname)) },
    plugins: [
      {
        // Copies the files that the embedded demo service reads at run time.
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
        output: {
          format: 'cjs',
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name].js',
          // Licences stay. Docstrings would be read at each start.
          comments: { jsdoc: false },
          ...ASCII,
        },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      externalizeDeps: false,
      // A sandboxed preload must be one file, because it cannot load another.
      isolatedEntries: true,
      rolldownOptions: {
        input: { kiosk: 'preload/kiosk.ts', records: 'preload/records.ts' },
        output: { format: 'cjs', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js', ...ASCII },
      },
    },
  },
  renderer: {
    root: 'renderer',
    plugins: [react()],
    build: {
      outDir: 'out/renderer',
      minify: true,
      // Each page's scripts in as few files as possible: main serves each of them, and is busy at the start.
      isolatedEntries: true,
      // The pages' Content-Security-Policy forbids inline scripts and data: modules.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: { kiosk: 'renderer/kiosk/index.html', records: 'renderer/records/index.html' },
        output: ASCII,
      },
    },
  },
});
