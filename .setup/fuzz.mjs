import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'vite';
import { clone } from './places.mjs';
import { asCommand } from './say.mjs';

// npm run fuzz -- READER [--minutes N] [--seed S] [--replay FILE]: reads hostile inputs; exit 1 on a finding
await asCommand(async () => {
  const outDir = join(clone, 'out', 'fuzz');
  await build({
    root: clone,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: join(clone, 'e2e', 'fuzz', 'command.ts'),
      outDir,
      target: 'node20',
      // One file, whose coverage is what the fuzzing goes by.
      rolldownOptions: { output: { entryFileNames: 'fuzz.mjs', codeSplitting: false } },
    },
  });
  const arguments_ = [join(outDir, 'fuzz.mjs'), ...process.argv.slice(2)];
  const { status, error } = spawnSync(process.execPath, arguments_, { cwd: clone, stdio: 'inherit' });
  if (error !== undefined) throw error;
  return status ?? 1;
});
