import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClickHouse, clickHouseAt } from './clickhouse-client';
import { type CommandOutput, commandLine } from './command-line';
import { startDebianServer } from './debian-server';
import { FLEET_USAGE, readFleetOptions } from './fleet-options';
import { runOffline } from './offline-command';
import { readLiveLink } from './report/live-link';
import { reportPage } from './report/page';
import { askEverything } from './report/questions';
import { wrongAnswers } from './report/wrong-answers';
import { type RealKiosk, readRealKiosks } from './simulation/real-kiosks';
import { type Simulated, type Simulation, simulate } from './simulation/simulate';
import { simulatedLink } from './simulation/simulated-link';
import { tableStatement } from './sql-files';
import { readAcceptedKiosks } from './verify/accepted-kiosks';

/** A separate database, so that no real plays are touched. */
const DATABASE = 'endcap_simulation';
const TABLE = 'plays';

/** Runs the command `fleet`. */
export const runFleet = commandLine('fleet', FLEET_USAGE, readFleetOptions, (options, output) =>
  options.offlineDays === null
    ? playFleet(options, output)
    : runOffline(options.offlineDays, options.seed, output),
);

async function playFleet(
  options: ReturnType<typeof readFleetOptions>,
  { out, error }: CommandOutput,
): Promise<number> {
  const real = readRealKiosks(options.realBooks);
  const server = options.url === undefined ? await startDebianServer() : null;
  try {
    const url = options.url ?? server?.url ?? '';
    // With real kiosks the table exists already: they have shipped into it.
    if (options.realBooks === null) await makeTable(clickHouseAt(url));
    const clickHouse = clickHouseAt(url, DATABASE);
    const { kiosks, hours, seed } = options;
    error(`fleet: ${kiosks} kiosks play ${hours} hours (seed ${seed})`);
    let told = 0;
    const simulated = await simulate(clickHouse, TABLE, options, Date.now(), (done) => {
      if (done < told + 0.1) return;
      told = done;
      error(`fleet: ${Math.round(done * 100)} %`);
    });
    const list = [
      ...simulated.kiosks.map(({ segments }, number) => `${segments.publicKey} kiosk-${number}`),
      ...real.map(({ publicKey }, number) => `${publicKey} real-kiosk-${number}`),
    ].join('\n');
    const accepted = readAcceptedKiosks(list);
    if ('error' in accepted) throw new Error(accepted.error);
    const names = simulated.kiosks.map(({ segments }) => segments.kiosk);
    const [first] = simulated.kiosks;
    const link = await simulatedLink(names, first?.segments.publicKey ?? '');
    const live = [...readLiveLink(options.liveLink), ...link];
    error('fleet: asking');
    // Real kiosks play up to now, because their time is not accelerated.
    const to = real.length === 0 ? simulated.to : Math.ceil(Date.now() / 1_000) * 1_000;
    const range = { from: simulated.from, to };
    const answers = await askEverything(clickHouse, range, accepted.kiosks);
    const books = booksOf([...simulated.kiosks, ...real]);
    const subject = subjectOf(options, simulated, real);
    const page = reportPage(answers, { subject, books, struck: simulated.struck, live });
    mkdirSync(options.out, { recursive: true });
    writeFileSync(join(options.out, 'report.html'), page);
    writeFileSync(join(options.out, 'kiosks.txt'), `${list}\n`);
    out(join(options.out, 'report.html'));
    const wrong = wrongAnswers(answers, books);
    for (const line of wrong) error(`fleet: ${line}`);
    return wrong.length === 0 ? 0 : 1;
  } finally {
    await server?.close();
  }
}

async function makeTable(server: ClickHouse): Promise<void> {
  await server.run(`DROP DATABASE IF EXISTS ${DATABASE}`);
  await server.run(`CREATE DATABASE ${DATABASE}`);
  await server.run(tableStatement({ table: `${DATABASE}.${TABLE}` }));
}

function booksOf(kiosks: readonly Pick<RealKiosk, 'books'>[]): Map<string, number> {
  const all = new Map<string, number>();
  for (const { books } of kiosks) {
    for (const [flight, plays] of books) all.set(flight, (all.get(flight) ?? 0) + plays);
  }
  return all;
}

function subjectOf(
  { kiosks, hours, seed }: Simulation,
  { segments, bytes }: Simulated,
  real: readonly RealKiosk[],
): string {
  const size = `${segments.toLocaleString('en')} segments, ${(bytes / 1e6).toFixed(1)} MB gzipped`;
  const beside = real.length === 0 ? '' : `; beside them ${real.length} real kiosks`;
  return `${kiosks} simulated kiosks, ${hours} hours, seed ${seed}: ${size}${beside}`;
}
