import { once } from 'node:events';
import { fleetTopics } from '../fleet/link/topics';
import { plainJson, plainText } from './command-result';
import type { FleetWork } from './fleet-arguments';
import { createFleetView, type KioskChange, nameOf, problemsOf, stateOf } from './fleet-kiosks';

/** `watch`: a line for each change, until the operator ends it. */
export async function watchKiosks({ connect, prefix, args, process }: FleetWork): Promise<boolean> {
  const fleet = await connect();
  const view = createFleetView(prefix);
  const isJson = args.options.json === true;
  let printing = Promise.resolve();
  const { state, now } = fleetTopics(prefix, '+');
  const take = (topic: string, payload: Uint8Array) => {
    const change = view.take(topic, payload);
    if (change === null) return;
    const line = isJson ? jsonLine(change) : changeLine(change, process.now());
    if (line !== null) printing = printing.then(() => process.out(`${line}\n`));
  };
  await fleet.follow(isJson ? [state, now] : [state], take, (isLost) => {
    void process.writeError(
      `fleet: the connection to the broker is ${isLost ? 'lost, trying again' : 'back'}\n`,
    );
  });
  if (!process.ended.aborted) await once(process.ended, 'abort');
  await printing;
  return true;
}

function jsonLine({ topic, before, after }: KioskChange): string {
  return plainJson({ kiosk: (after ?? before)?.kiosk, topic, message: after?.[topic] ?? null });
}

/** A change as a readable line; null if neither state nor problems changed. `now`: ms since the epoch. */
function changeLine({ before, after }: KioskChange, now: number): string | null {
  const view = after ?? before;
  if (view === null) return null;
  const [was, is] = [before === null ? null : stateOf(before), after === null ? 'removed' : stateOf(after)];
  const [old, present] = [new Set(before ? problemsOf(before) : []), new Set(after ? problemsOf(after) : [])];
  const parts = [
    ...(was === is ? [] : [was === null ? is : `${was} -> ${is}`]),
    ...[...present].filter((code) => !old.has(code)).map((code) => `+${code}`),
    ...[...old].filter((code) => !present.has(code)).map((code) => `-${code}`),
  ];
  if (parts.length === 0) return null;
  const sentence = plainText(after?.state?.sentence ?? '', 120);
  const words = [new Date(now).toISOString(), view.kiosk, nameOf(view), parts.join(' '), sentence];
  return words.filter((word) => word !== '').join('  ');
}
