import { resolve } from 'node:path';
import { defineConfig } from 'vite';

// The programs that benchmarks run in Electron's own Node: bundled as the product is,
// so that what is measured is what is shipped.
export default defineConfig({
  logLevel: 'warn',
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: true,
    target: 'node24',
    outDir: resolve(import.meta.dirname, '../../out/bench-programs'),
    rolldownOptions: {
      input: {
        reading: resolve(import.meta.dirname, 'programs/reading.ts'),
        choosing: resolve(import.meta.dirname, 'programs/choosing.ts'),
      },
      output: { format: 'cjs', entryFileNames: '[name].cjs' },
    },
  },
});
