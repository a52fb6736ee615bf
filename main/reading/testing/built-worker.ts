import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';

/** The worker as it is built for the kiosk, in a folder of its own; `dispose` removes it. */
export async function builtWorker(): Promise<{ readonly file: string; readonly dispose: () => void }> {
  const outDir = mkdtempSync(join(tmpdir(), 'endcap-reading-'));
  await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      emptyOutDir: true,
      ssr: join(__dirname, '../worker.ts'),
      outDir,
      rolldownOptions: {
        output: { format: 'cjs', entryFileNames: 'worker.js', chunkFileNames: '[name].js' },
      },
    },
  });
  return {
    file: join(outDir, 'worker.js'),
    dispose: () => rmSync(outDir, { recursive: true, force: true }),
  };
}
