import { resolve } from 'node:path';
import { defineConfig } from 'vite';

// Bundles the programs that benchmarks run in Electron's Node in the same way as the product, so that shipped
// code is measured.
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
