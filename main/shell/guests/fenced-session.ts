import { app, type Session, type WebContents } from 'electron';
import { PROXY_USER } from '../../egress/egress-proxy';

/**
 * Binds a session to an egress proxy on loopback (rule 22): every request of its pages goes there and nowhere else,
 * requests to loopback included, even when the proxy is gone. Await it before the first page loads.
 *
 * @param proxyPort port of an `EgressProxy`
 */
export async function fenceSession(session: Session, proxyPort: number): Promise<void> {
  await session.setProxy({
    mode: 'fixed_servers',
    proxyRules: `127.0.0.1:${proxyPort}`,
    proxyBypassRules: '<-loopback>',
  });
  await session.closeAllConnections();
}

/** Blocks WebRTC's UDP, which bypasses every proxy. Call it for each contents of a fenced session. */
export function fenceWebRtc(contents: WebContents): void {
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
}

/** Passwords of the egress proxies that are open, by port. */
const passwords = new Map<number, string>();
app.on('login', (event, _contents, _details, { isProxy, host, port }, answer) => {
  const password = isProxy && host === '127.0.0.1' ? passwords.get(port) : undefined;
  if (password === undefined) return;
  event.preventDefault();
  answer(PROXY_USER, password);
});

/** Makes Chromium log in at the egress proxy on this port of 127.0.0.1 without a dialog; returns a function to stop. */
export function logInAtProxy(port: number, password: string): () => void {
  passwords.set(port, password);
  return () => void passwords.delete(port);
}
