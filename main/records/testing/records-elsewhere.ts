import { MessageChannel, Worker } from 'node:worker_threads';
import { timers } from '../../schedule';
import { createRecordsClient, type Records } from '../records-client';

/** Accepts every command and stores nothing. */
const PROGRAM = `
const { parentPort } = require('node:worker_threads');
parentPort.once('message', (port) => port.on('message', ({ call }) =>
  port.postMessage({ call, ok: true, output: null })));
`;

/**
 * The client of a records window in another thread: commands are copied to it as
 * they are in a kiosk. `ads` counts the ads that were sent so far.
 */
export function recordsElsewhere(): Records & { ads(): number; close(): Promise<number> } {
  const worker = new Worker(PROGRAM, { eval: true });
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(port2, [port2]);
  const client = createRecordsClient(timers);
  client.connect({
    send: (message) => port1.postMessage(message),
    onMessage: (listener) => port1.on('message', listener),
  });
  let ads = 0;
  return {
    async run(command, input) {
      const answer = await client.run(command, input);
      if (input !== null && 'ads' in input) ads += input.ads.length;
      return answer;
    },
    ads: () => ads,
    close: () => worker.terminate(),
  };
}
