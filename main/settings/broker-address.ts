import { isLoopbackHost } from './service-address';

/** The address of an MQTT broker from the settings. */
export interface BrokerAddress {
  /** Over WebSocket; otherwise MQTT lies directly on TCP or TLS. */
  readonly isWebSocket: boolean;
  readonly isSecure: boolean;
  /** As a URL names it: a v6 literal in brackets. */
  readonly host: string;
  readonly port: number;
  /** Path and query of the WebSocket; otherwise empty. */
  readonly path: string;
}

/** By scheme: IANA's ports of MQTT, and those of HTTP for WebSocket. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = { mqtt: 1883, mqtts: 8883, ws: 80, wss: 443 };

export const BROKER_EXPECTED =
  'the address of an MQTT broker: "mqtts://host:port" or "wss://host:port/path", on this machine also "mqtt://" and "ws://"';

/** Reads an entry of `fleet.brokers`; null where it is none. User and password have settings of their own. */
export function readBroker(text: string): BrokerAddress | null {
  const scheme = /^(mqtts?|wss?):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return null;
  // `URL` knows hosts and ports of its own schemes only, and leaves out a port that is the default of its scheme.
  const withScheme = (instead: string) => URL.parse(text.replace(/^[a-z]+/i, instead));
  const url = withScheme('https');
  if (url === null || url.hostname === '' || url.port === '0') return null;
  if (url.username !== '' || url.password !== '' || url.hash !== '') return null;
  const isWebSocket = scheme.startsWith('ws');
  if (!isWebSocket && (url.pathname !== '/' || url.search !== '')) return null;
  const stated = url.port || withScheme('http')?.port;
  return {
    isWebSocket,
    isSecure: scheme.endsWith('s') && scheme !== 'ws',
    host: url.hostname,
    port: stated ? Number(stated) : (DEFAULT_PORTS[scheme] ?? 0),
    path: isWebSocket ? url.pathname + url.search : '',
  };
}

/** `mqtt`, `mqtts`, `ws` or `wss`. */
export const brokerScheme = ({ isWebSocket, isSecure }: BrokerAddress) =>
  `${isWebSocket ? 'ws' : 'mqtt'}${isSecure ? 's' : ''}` as const;

/** `mqtts://host:port`: fit for logs, status and overlay. A query may hold a key, so a path is left out. */
export const brokerName = (broker: BrokerAddress): string =>
  `${brokerScheme(broker)}://${broker.host}:${broker.port}`;

/** The connection to a broker must use TLS, except to this machine itself (rule 22). */
export const isSafeBroker = ({ isSecure, host }: BrokerAddress): boolean => isSecure || isLoopbackHost(host);
