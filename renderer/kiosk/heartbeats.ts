import type { StagePage } from './stage';

const HEARTBEAT_MS = 1_000;

/**
 * Sends a heartbeat only in a frame that is really drawn (rule 25), and asks for one frame at a time: none is drawn
 * while the display is away, and thousands of heartbeats would come at once when it is back.
 */
export function sendHeartbeats(page: Pick<StagePage, 'next' | 'later' | 'emit'>): void {
  page.later(HEARTBEAT_MS, () =>
    page.next(() => {
      page.emit({ type: 'heartbeat' });
      sendHeartbeats(page);
    }),
  );
}
