import { app } from 'electron';
import { PROXY_USER } from '../service/fence/proxy-password';

/** Passwords of the egress proxies that are open, by port. */
const passwords = new Map<number, string>();
let isListening = false;

/** Has Chromium log in at the egress proxy on this port of 127.0.0.1, without a dialog; returns what takes it back. */
export function logInAtProxy(port: number, password: string): () => void {
  if (!isListening) {
    isListening = true;
    app.on('login', (event, _contents, _details, { isProxy, host, port: asking }, answer) => {
      const known = isProxy && host === '127.0.0.1' ? passwords.get(asking) : undefined;
      if (known === undefined) return;
      event.preventDefault();
      answer(PROXY_USER, known);
    });
  }
  passwords.set(port, password);
  return () => void passwords.delete(port);
}
