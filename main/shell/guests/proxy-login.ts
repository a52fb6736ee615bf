import { app } from 'electron';
import { PROXY_USER } from '../../egress/egress-proxy';

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
