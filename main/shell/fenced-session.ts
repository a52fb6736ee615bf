import type { Session, WebContents } from 'electron';

/**
 * Binds a session to a fence proxy on loopback (rule 22): every request of its
 * pages goes there and nowhere else, those to loopback too. Await it before the
 * first page loads. There is no direct way out when the proxy is gone.
 *
 * @param proxyPort of a `FenceProxy`
 */
export async function fenceSession(session: Session, proxyPort: number): Promise<void> {
  await session.setProxy({
    mode: 'fixed_servers',
    proxyRules: `127.0.0.1:${proxyPort}`,
    proxyBypassRules: '<-loopback>',
  });
  await session.closeAllConnections();
}

/** WebRTC talks UDP past every proxy; held to the proxy it has no way left. Call for each contents of a fenced session. */
export function fenceWebRtc(contents: WebContents): void {
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
}
