import type { WebContents } from 'electron';
import type { Schedule } from '../schedule';
import type { PageFrames } from './page-frames';

/** Short compared with the minute of idle time, ms. */
const LOOK_MS = 400;

const IS_USED = 'navigator.userActivation.isActive';

/**
 * Reports taps in frames of other sites, which are no input events of the page: it polls each such frame for user
 * activation, as long as the page exists. A second tap within the five seconds for which Chromium keeps the activation
 * is not reported.
 */
export function watchFrameTaps(
  contents: WebContents,
  frames: PageFrames,
  schedule: Schedule,
  onTap: () => void,
): void {
  /** Sessions of the frames that were in use when last asked. */
  let inUse = new Set<string>();
  const look = async () => {
    const before = inUse;
    inUse = new Set();
    for (const session of [...frames.sessions]) {
      const [frame] = await frames.of(session);
      if (frame === undefined || (await frames.ask(frame, IS_USED)) !== true) continue;
      inUse.add(session);
      if (!before.has(session)) onTap();
    }
    lookLater();
  };
  const lookLater = () => {
    if (!contents.isDestroyed()) schedule(LOOK_MS, () => void look());
  };
  lookLater();
}
