import type { WebContents } from 'electron';
import type { Schedule } from '../schedule';
import { askFrame, framesOf, watchFrames } from './frame-world';

/** Short compared with the minute of idle time, ms. */
const LOOK_MS = 400;

const IS_USED = 'navigator.userActivation.isActive';

/**
 * Reports taps in frames of other sites, which are no input events of the page: it polls each such frame for user
 * activation. A second tap within the five seconds for which Chromium keeps the activation is not reported. Call it
 * after `forbidChoosers` has attached the DevTools protocol; a page without such frames is never asked.
 */
export function watchFrameTaps(contents: WebContents, schedule: Schedule, onTap: () => void): void {
  const { debugger: tools } = contents;
  /** Whether each frame was in use when last asked, by session. */
  const frames = new Map<string, boolean>();
  let cancel = (): void => {};
  const look = async () => {
    for (const [session, before] of [...frames]) {
      const [frame] = await framesOf(tools, session, schedule);
      const isUsed = frame !== undefined && (await askFrame(tools, frame, IS_USED, schedule)) === true;
      if (!frames.has(session)) continue; // The frame was removed meanwhile.
      frames.set(session, isUsed);
      if (isUsed && !before) onTap();
    }
    again();
  };
  const again = () => {
    cancel();
    if (frames.size > 0 && !contents.isDestroyed()) cancel = schedule(LOOK_MS, () => void look());
  };
  watchFrames(
    tools,
    (session) => {
      const isFirst = frames.size === 0;
      frames.set(session, false);
      if (isFirst) again();
    },
    (session) => void frames.delete(session),
  );
  contents.once('destroyed', () => cancel());
}
