import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumber } from '../run/arguments';
import { FAULTS, type Fault } from './simulation/simulate';

export const FLEET_USAGE = `Usage: npm run fleet -- [--kiosks N] [--real N] [--hours H] [--seed S] [--faults NAME,…] [--out DIR] [--url URL]
       npm run fleet -- --offline-days D [--seed S]

Plays a day of a small fleet in accelerated time into a ClickHouse of its own,
asks it everything that an operator asks, and writes a report page. The kiosks
also tell a broker of its own how they are doing.

  --kiosks N        simulated kiosks, by default 8
  --real N          real kiosks beside them, each on a display of its own, by default 0
  --hours H         how long the simulated ones play, by default 24
  --faults NAMES    what goes wrong, each with a kiosk of its own, or "all":
                    ${FAULTS.join(', ')}
  --out DIR         for report.html and kiosks.txt, by default out/fleet-report
  --url URL         a ClickHouse that runs already; its database "endcap_simulation" is made anew
  --offline-days D  instead of all that: D days of plays pile up in the books of one kiosk, which
                    then ships them; prints how long that took, and in how much memory

Exit status: 0 the answers are as they have to be, 1 they are not, 2 wrong usage.`;

/** Reads the options of `fleet`. Throws if they are wrong. */
export function readFleetOptions(args: string[]) {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      kiosks: text,
      hours: text,
      seed: text,
      faults: text,
      out: text,
      url: text,
      // Set by `--real`: a file with the keys and plays of its kiosks, which have shipped into the database already.
      'real-books': text,
      // Set by `--real`: a file with what they told their broker, as `endcap fleet list --json` prints it.
      'live-link': text,
      'offline-days': text,
    },
  });
  const names =
    values.faults === 'all' ? [...FAULTS] : (values.faults ?? '').split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !FAULTS.some((fault) => fault === name));
  if (unknown !== undefined) throw new Error(`there is no fault "${unknown}"`);
  const kiosks = wholeNumber('--kiosks', values.kiosks ?? '8');
  if (names.length > kiosks)
    throw new Error(`expected --kiosks of at least ${names.length}, one for each fault`);
  return {
    kiosks,
    hours: wholeNumber('--hours', values.hours ?? '24'),
    seed: wholeNumber('--seed', values.seed ?? '1'),
    faults: names as Fault[],
    out: resolve(values.out ?? 'out/fleet-report'),
    url: values.url,
    realBooks: values['real-books'] ?? null,
    liveLink: values['live-link'] ?? null,
    offlineDays: values['offline-days'] === undefined ? null : daysOffline(values['offline-days']),
  };
}

/** At most 200 days: a kiosk stores undelivered plays for longer than that. */
function daysOffline(value: string): number {
  if (!(Number(value) > 0 && Number(value) <= 200))
    throw new Error(`expected --offline-days up to 200, got ${value}`);
  return Number(value);
}
