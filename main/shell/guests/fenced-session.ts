import type { Session, WebContents } from 'electron';
import { beforeDeadline, startDeadline } from '../../deadline';
import type { Schedule } from '../../schedule';

/** Longest time that it may take, ms: Chromium may never answer, for example where its network process died. */
const MAX_FENCING_MS = 30_000;

/**
 * Binds a session to an egress proxy on loopback (rule 22): every request of its pages goes there and nowhere else,
 * requests to loopback included, even when the proxy is gone. Await it before the first page loads. Rejects after 30 s.
 *
 * @param proxyPort port of an `EgressProxy`
 */
export async function fenceSession(session: Session, proxyPort: number, schedule: Schedule): Promise<void> {
  await beforeDeadline(startDeadline(MAX_FENCING_MS, schedule), async (signal) => {
    await session.setProxy({
      mode: 'fixed_servers',
      proxyRules: `127.0.0.1:${proxyPort}`,
      proxyBypassRules: '<-loopback>',
    });
    // A late answer must not close the connections of the next visit.
    signal.throwIfAborted();
    await session.closeAllConnections();
  });
}

/** Blocks WebRTC's UDP, which bypasses every proxy. Call it for each contents of a fenced session. */
export function fenceWebRtc(contents: WebContents): void {
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
}
