import { session } from 'electron';

/** What the proxy settings of the system say of an address: "PROXY host:port; DIRECT", as a PAC script answers. */
export const systemProxy = (url: string): Promise<string> => session.defaultSession.resolveProxy(url);
