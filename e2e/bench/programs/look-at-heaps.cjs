// @ts-nocheck Its `gc` comes with --js-flags=--expose-gc.
// Runs in main beside the kiosk: every 15 s it collects garbage in main and both windows, so that garbage does
// not look like growth, and appends a line of JSON to the file ENDCAP_BENCH_HEAPS: the live data of each, MB.
const { appendFileSync } = require('node:fs');
const { getHeapSpaceStatistics } = require('node:v8');
const { webContents } = require('electron');

function pageHeapMb(address) {
  const page = webContents.getAllWebContents().find((contents) => contents.getURL().startsWith(address));
  return page.executeJavaScript('gc(); performance.memory.usedJSHeapSize / 1e6');
}

async function look() {
  const kiosk = await pageHeapMb('endcap://kiosk/');
  const records = await pageHeapMb('endcap://records/');
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  // Trusted spaces hold bytecode and the tables of machine code.
  const code = getHeapSpaceStatistics()
    .filter(({ space_name }) => /code|trusted/.test(space_name))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
  const seen = {
    heapMb: { main: (heapUsed + external - code) / 1e6, kiosk, records },
    mainCodeMb: code / 1e6,
  };
  appendFileSync(process.env.ENDCAP_BENCH_HEAPS, `${JSON.stringify(seen)}\n`);
}

// A look that fails, as before the windows are open, is left out.
setInterval(() => void look().catch(() => {}), 15_000);
