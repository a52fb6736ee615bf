import { setTimeout as wait } from 'node:timers/promises';
import { fleetTopics } from '../fleet/link/topics';
import { plainJson } from './command-result';
import type { FleetWork } from './fleet-arguments';
import { createFleetView } from './fleet-kiosks';
import { HINT_OF_NO_KIOSK } from './fleet-silence';
import { kioskCounts, kioskTable } from './fleet-table';

const REDRAW_MS = 500;
/** Moves to the top, and clears what is below. */
const CLEAR = '\u001b[H\u001b[J';

/** `list`: on a terminal a table that is updated until Ctrl+C; otherwise it is printed once. */
export async function listKiosks({ connect, prefix, args, process }: FleetWork): Promise<boolean> {
  const fleet = await connect();
  const view = createFleetView(prefix);
  let isChanged = true;
  const { state, now, proof, inventory } = fleetTopics(prefix, '+');
  const topics = [state, now, proof, inventory];
  const take = (topic: string, payload: Uint8Array) => {
    if (view.take(topic, payload) !== null) isChanged = true;
  };
  const isLive = args.options.json !== true && process.terminal() !== null;
  if (!isLive) {
    await fleet.subscribe(topics, take);
    await fleet.settled();
    const kiosks = [...view.kiosks.values()];
    const lines = kioskTable(kiosks, process.now());
    await process.out(args.options.json === true ? `${plainJson(kiosks, 2)}\n` : `${lines.join('\n')}\n`);
    if (kiosks.length === 0) await process.writeError(`fleet: ${HINT_OF_NO_KIOSK}\n`);
    if (view.unreadable > 0) await process.writeError(`fleet: ${unreadableWords(view.unreadable)}\n`);
    return true;
  }
  let isLost = false;
  await fleet.follow(topics, take, (lost) => {
    isLost = lost;
    isChanged = true;
  });
  for (let drawnAt = 0; !process.ended.aborted; ) {
    // The ages in the table change even without a message.
    if (isChanged || performance.now() - drawnAt > 10_000) {
      isChanged = false;
      drawnAt = performance.now();
      const { columns, rows } = process.terminal() ?? { columns: 100, rows: 25 };
      const table = kioskTable(view.kiosks.values(), process.now(), columns);
      const most = Math.max(1, rows - 3);
      const foot = [
        kioskCounts(view.kiosks.values()),
        ...(table.length > most ? [`${table.length - most} more do not fit`] : []),
        ...(view.unreadable > 0 ? [unreadableWords(view.unreadable)] : []),
        ...(isLost ? ['the connection to the broker is lost, trying again'] : []),
      ].join('; ');
      await process.out(`${CLEAR}${[...table.slice(0, most), '', foot].join('\n')}\n`);
    }
    await wait(REDRAW_MS, undefined, { signal: process.ended }).catch(() => undefined);
  }
  return true;
}

const unreadableWords = (count: number): string => `unreadable messages: ${count}`;
