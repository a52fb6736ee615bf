import type { GuestListener } from '../beacons/js-guests';
import { tellBroken, type WatchParts } from './watch-guests';

const MOST_FAULTS = 10;

/** For what the stage holds: nobody but the stage has to know how it went. */
export function stageListener(
  { stage, log }: Pick<WatchParts, 'stage' | 'log'>,
  kind: 'banner' | 'page',
  url: () => string,
  faulty: (detail: string) => void,
): GuestListener {
  return {
    said(word, detail) {
      if (word !== 'ran') faulty(detail ?? word);
    },
    held: faulty,
    crashed(reason) {
      log.warn(`${kind === 'page' ? 'a page in the loop' : 'a banner'} ended`, { reason });
      tellBroken(stage, url(), `its process ended: ${reason}`);
    },
  };
}

/** Passes on the first errors of a guest, in a few words each. */
export function fewFaults(onError: (detail: string) => void): (detail: string) => void {
  let lines = 0;
  return (detail) => {
    lines += 1;
    if (lines <= MOST_FAULTS) onError(detail.slice(0, 200));
  };
}
