import type { Schedule } from '../service/schedule';
import { Refusal } from './answer-calls';

/** Until a page has its answer, before the process it came from ends, ms. */
const ANSWER_MS = 300;

/** Ends this process in a moment; refused where an end was asked for before, whatever end it is. */
export type EndSoon = (end: () => void) => void;

/** Electron would start as many programs as it was asked to relaunch. */
export function endOnce(schedule: Schedule): EndSoon {
  let isEnding = false;
  return (end) => {
    if (isEnding) throw new Refusal('busy', 'The player is ending already.');
    isEnding = true;
    schedule(ANSWER_MS, end);
  };
}
