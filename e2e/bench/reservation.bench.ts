import { test } from 'playwright/test';
import { type Kiosk, pageAt, startKiosk } from '../kiosk';
import { openRecordsPort } from '../records-port';
import { until } from '../until';
import { copyOf, kioskFolder, settingsOf } from './kiosk-folder';
import { report } from './report';
import { AT_ONCE, plainTransactions, reservations, reserve } from './reservations';
import { median, pairedRatio, percentile } from './statistics';

const RESERVATIONS = 1000;
const SETTLED_AFTER_MS = 15_000;

for (const history of ['no-plays', 'million-plays'] as const) {
  test(`durable reservation with ${history}`, async () => {
    const folder = copyOf(await kioskFolder(history), `reservation-${history}`);
    let kiosk: Kiosk | null = null;
    try {
      kiosk = await startKiosk({ dataDir: folder.dataDir, settings: settingsOf(folder) });
      const running = kiosk;
      await until(async () => (await running.status()).now?.adId === 'creative');
      // A start reads and tidies up for a while, which another benchmark measures.
      await new Promise((resume) => setTimeout(resume, SETTLED_AFTER_MS));
      const records = await pageAt(kiosk.app, 'endcap://records/');
      await openRecordsPort(kiosk);
      const samples = { reserving: [] as number[], plain: [] as number[] };
      for (const inputs of reservations(RESERVATIONS)) {
        samples.reserving.push(...(await reserve(kiosk, inputs)));
        samples.plain.push(...(await plainTransactions(records, inputs)));
      }
      const warm = { reserving: samples.reserving.slice(AT_ONCE), plain: samples.plain.slice(AT_ONCE) };
      await report({
        name: `durable reservation p99 while playing, ${history} (plain IndexedDB in the window)`,
        unit: 'ms',
        value: percentile(warm.reserving, 0.99),
        baseline: percentile(warm.plain, 0.99),
        ratio: pairedRatio(warm.reserving, warm.plain),
        budgets: [{ of: 'value', most: 10 }],
        samples: warm,
        details: {
          'p50 ms': median(warm.reserving),
          'plain p50 ms': median(warm.plain),
          'p95 ms': percentile(warm.reserving, 0.95),
          'longest ms': percentile(warm.reserving, 1),
        },
      });
    } finally {
      await kiosk?.kill();
      folder.remove();
    }
  });
}
