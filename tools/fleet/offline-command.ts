import { seededRandom } from '../../e2e/seeded-random';
import { clickHouseAt } from './clickhouse-client';
import type { CommandOutput } from './command-line';
import { startDebianServer } from './debian-server';
import { startRelay } from './relay';
import { askEverything } from './report/questions';
import { wrongAnswers } from './report/wrong-answers';
import { offlineKiosk } from './simulation/offline-kiosk';
import { simulatedPlayer } from './simulation/simulated-player';
import { tableStatement } from './sql-files';
import { readAcceptedKiosks } from './verify/accepted-kiosks';

const DAY_SECONDS = 86_400;
/** How often memory is looked at, ms. */
const SAMPLE_MS = 100;
const MEGABYTE = 1_000_000;

/**
 * Runs `fleet --offline-days`: the plays of N days pile up in the books of one kiosk while the receiver cannot be
 * reached; then it can. Resolves with the exit status.
 */
export async function runOffline(days: number, seed: number, { out, error }: CommandOutput): Promise<number> {
  const server = await startDebianServer();
  const relay = await startRelay([Number(new URL(server.url).port)]);
  try {
    const clickHouse = clickHouseAt(server.url);
    await clickHouse.run(tableStatement());
    // Questions are about whole seconds.
    const to = Math.floor(Date.now() / 1_000) * 1_000;
    const from = to - Math.round(days * DAY_SECONDS) * 1_000;
    const player = simulatedPlayer(0, from, seededRandom(seed), false);
    const kiosk = offlineKiosk(player);
    error(`fleet: ${days} days of plays pile up (seed ${seed})`);
    let began = performance.now();
    let told = 0;
    const plays = await kiosk.playUntil(to, (done) => {
      if (done < told + 0.1) return;
      told = done;
      error(`fleet: ${Math.round(done * 100)} %`);
    });
    const piled = seconds(began);

    relay.cut();
    const results = { delivered: 0, failed: 0, refused: 0, 'set-aside': 0 };
    const memory = watchMemory();
    began = performance.now();
    await kiosk.ship(
      `http://127.0.0.1:${relay.port}/?query=INSERT%20INTO%20plays%20FORMAT%20JSONEachRow`,
      (result) => {
        results[result] += 1;
        if (results.failed !== 1 || results.delivered > 0) return;
        // The first try has failed, as it should while offline. Now the receiver can be reached.
        relay.join();
        began = performance.now();
      },
    );
    const shipped = seconds(began);
    const { before, most } = memory.end();

    const accepted = readAcceptedKiosks(kiosk.publicKey);
    if ('error' in accepted) throw new Error(accepted.error);
    const answers = await askEverything(clickHouse, { from, to: to + 1_000 }, accepted.kiosks);
    const wrong = [
      ...wrongAnswers(answers, player.books),
      ...answers.completeness.flatMap(({ missing }) =>
        Number(missing) === 0 ? [] : [`${missing} numbers are missing`],
      ),
      ...(answers.verified.rows === plays ? [] : [`${answers.verified.rows} rows of ${plays} plays arrived`]),
      ...(results.failed === 0 ? ['the kiosk was never offline'] : []),
    ];
    const count = (value: number) => value.toLocaleString('en');
    out(`${count(plays)} plays of ${days} days, piled up in ${piled.toFixed(1)} s`);
    out(
      `shipped in ${shipped.toFixed(1)} s: ${results.delivered} segments, ${count(Math.round(plays / shipped))} plays a second`,
    );
    out(
      `memory: ${before} MB with all plays stored (in memory here), at most ${most} MB while they are shipped`,
    );
    const { segments, rows } = answers.verified;
    out(`checked: ${count(rows)} plays in ${segments} segments, ${wrong.length} errors`);
    for (const line of wrong) error(`fleet: ${line}`);
    return wrong.length === 0 ? 0 : 1;
  } finally {
    await relay.close();
    await server.close();
  }
}

const seconds = (since: number) => (performance.now() - since) / 1_000;

/** Resident memory of this process, MB. */
function watchMemory() {
  const now = () => Math.round(process.memoryUsage.rss() / MEGABYTE);
  const before = now();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, now());
  }, SAMPLE_MS);
  return {
    end: () => {
      clearInterval(timer);
      return { before, most };
    },
  };
}
