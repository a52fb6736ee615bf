import { join } from 'node:path';
import { SaxesParser } from 'saxes';
import { createReading } from '../../../main/reading/reading';
import { longestTurnMs } from '../../../main/reading/testing/turn-meter';
import { timers } from '../../../main/schedule';
import { readAds } from '../../../main/service/ads-reading/read-ads';
import type { Row } from '../row';
import { compared, interleaved, median } from '../statistics';
import { adsResponse } from './ads-response';

const ADS = 10_000;
const ROUNDS = 15;

function timed(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

/** The least that any reader costs: the same parser on the same text, which only counts events. */
function tokenise(document: string): number {
  let events = 0;
  const count = () => {
    events += 1;
  };
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', count);
  parser.on('opentag', count);
  parser.on('closetag', count);
  parser.on('text', count);
  parser.on('cdata', count);
  parser.write(document).close();
  return events;
}

function read(document: string): void {
  const reading = readAds(document);
  if (reading.kind !== 'ads' || reading.ads.length !== ADS)
    throw new Error('the response was not read whole');
}

async function row(name: string, adsPerFlight: number): Promise<Row> {
  const document = adsResponse(ADS, adsPerFlight);
  const readOnce = () => timed(() => read(document));
  const tokeniseOnce = () => timed(() => tokenise(document));
  await interleaved(3, readOnce, tokeniseOnce);
  const { a, b } = await interleaved(ROUNDS, readOnce, tokeniseOnce);
  return {
    name,
    unit: 'ms',
    ...compared(a, b),
    budgets: [{ of: 'ratio', most: 2 }],
    samples: { reading: a, tokenising: b },
    details: {
      'response MB': document.length / 1e6,
    },
  };
}

/** The kiosk's way: read in the worker, take over in parts. Also measures how long main is blocked at a time. */
async function workerRow(): Promise<Row> {
  const document = adsResponse(ADS, 10);
  const reading = createReading({
    worker: join(process.cwd(), 'out/main/reading-worker.js'),
    schedule: timers,
  });
  const turns: number[] = [];
  const readOnce = async () => {
    const started = performance.now();
    turns.push(
      await longestTurnMs(async () => {
        const read = await reading.read('ads', document, {});
        if (read.kind !== 'ads' || read.ads.length !== ADS)
          throw new Error('the response was not read whole');
      }),
    );
    return performance.now() - started;
  };
  const tokeniseOnce = () => timed(() => tokenise(document));
  await interleaved(3, readOnce, tokeniseOnce);
  turns.length = 0;
  const { a, b } = await interleaved(ROUNDS, readOnce, tokeniseOnce);
  return {
    name: 'reading 10,000 ads in the worker, taken over in parts (tokenising with saxes)',
    unit: 'ms',
    ...compared(a, b),
    budgets: [{ of: 'ratio', most: 2 }],
    samples: { reading: a, tokenising: b, turns },
    details: { 'longest turn of main p50 ms': median(turns), 'longest turn of main ms': Math.max(...turns) },
  };
}

async function main(): Promise<void> {
  const rows = [
    await row('reading 10,000 ads, ten to a flight (tokenising with saxes)', 10),
    await row('reading 10,000 ads, each its own flight (tokenising)', 1),
    await workerRow(),
  ];
  process.stdout.write(JSON.stringify(rows));
}

void main();
