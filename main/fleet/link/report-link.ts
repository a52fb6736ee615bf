import type { Clock } from '../../../shared/clock';
import { type BrokerAddress, brokerName } from '../../settings/broker-address';
import type { Tell } from '../../status/facts';
import type { Status } from '../../status/status';
import type { AnnouncementStore } from './announcement';
import type { BlockList } from './block-list';
import type { ConnectionError } from './broker-connection';
import type { Refusal } from './commands';
import { type MqttVersion, STEADY_MS } from './link-attempts';

/** Without a connection that lasts for longer than this there is a problem, ms; the restart of a broker is none. */
const TOO_LONG_MS = 3_600_000;
const CODE = 'fleet-link';
/** This many messages of a topic in a row that a connected broker does not take are a problem: each is tried again. */
const REFUSED_IN_A_ROW = 8;
const REFUSED_CODE = 'fleet-refused';
const refusedOn = (topics: readonly string[]) => ({
  message: `The broker refuses what this kiosk publishes on these topics, so the fleet does not get it: ${topics.join(', ')}.`,
  advice:
    "Give the kiosk's account the topics of docs/fleet.md in the broker's access rules. Where these go by the user's name, check fleet.username. If the reason is another one, see the limits of the broker.",
});

const BLOCKS_CODE = 'fleet-blocks';
const BLOCKS = {
  message: 'A key that is not in fleet.commandKeys of this kiosk signed blocks, so it does not take them.',
  advice:
    'Sign the blocks anew with a key that the kiosk has ("Change a key" in docs/fleet.md), or add the key to fleet.commandKeys.',
} as const;

const SAME_KEY =
  'Check whether another kiosk has the same key, for example from a copied disk: each takes the connection from the other.';

/** Advice, by the beginning of the error code. */
const ADVICE: ReadonlyArray<readonly [RegExp, string]> = [
  [/^refused-topics/, "Give the kiosk's account the topics of docs/fleet.md in the broker's access rules."],
  // By the reason codes of MQTT 3.1.1 (below 128) and 5.
  [
    /^refused-(2|4|5|133|134|135|138|140)$/,
    'Check fleet.username, fleet.passwordFile and the certificate, and the accounts and access rules of the broker.',
  ],
  [/^refused-142$/, SAME_KEY],
  [
    /^refused-|^too-long-packet|^no-receipts|^qos-2/,
    'Check the broker, its limits and its log; it is tried again by itself.',
  ],
  [
    /^client-certificate/,
    'Check fleet.clientCertFile: it may be missing, out of date, or of a CA that the broker does not trust.',
  ],
  [/^tls/, "Check the broker's certificate and its name, network.caFile, and the clock of the kiosk."],
  [/^proxy-/, 'Check network.proxy, and that the proxy lets this kiosk connect to the broker (CONNECT).'],
  [/^name/, "Check the kiosk's network connection and DNS, and the spelling of fleet.brokers."],
  [
    /^protocol/,
    'Check that fleet.brokers names a broker of MQTT 5 or 3.1.1, its port, and its path where it begins with wss.',
  ],
  [
    /^closed/,
    'Check whether the broker was restarted, or another kiosk has the same key, for example from a copied disk: each takes the connection from the other. Some brokers also close it if their access rules forbid a topic of docs/fleet.md. Otherwise check that fleet.brokers names a broker of MQTT 5 or 3.1.1, and its port.',
  ],
];
const OTHERWISE = "Check the kiosk's network connection and the store's firewall, and fleet.brokers.";

const adviceOf = (code: string) => ADVICE.find(([pattern]) => pattern.test(code))?.[1] ?? OTHERWISE;

export type LinkReport = ReturnType<typeof reportLink>;

/** Reports the state of the link to the status board, and a problem with advice when it is lost for too long. */
export function reportLink(
  tell: Tell,
  clock: Clock,
  blocks: Pick<BlockList, 'versions'>,
  announcement: Pick<AnnouncementStore, 'current'>,
) {
  let link: Pick<NonNullable<Status['fleet']>, 'connected' | 'broker' | 'mqtt' | 'since' | 'lastError'> = {
    connected: false,
    broker: null,
    mqtt: null,
    since: clock.now(),
    lastError: null,
  };
  /** Monotonic time of the connection, ms; null: not connected. */
  let connectedAt: number | null = null;
  /** Monotonic time at which the last connection that lasted was lost, ms. */
  let lostAt = clock.monotonic();
  /** By topic: messages that the broker did not take since it took one, on this connection, and why not the last of them. */
  const refused = new Map<string, { times: number; why: string }>();
  /** Topics whose blocks an unknown key signed. */
  const unknownBlocks = new Set<string>();

  /** To be called when blocks or announcement changed, and every second. */
  function look(): void {
    const shown = announcement.current();
    tell({
      kind: 'section',
      name: 'fleet',
      value: {
        ...link,
        blocks: blocks.versions(),
        announcement: shown && { text: shown.text, severity: shown.severity, until: shown.until },
      },
    });
    const refusing = [...refused].flatMap(([topic, { times, why }]) =>
      times >= REFUSED_IN_A_ROW ? `${topic} (${why})` : [],
    );
    const refusal = refusing.length > 0 ? refusedOn(refusing) : null;
    tell({ kind: 'attention', code: REFUSED_CODE, problem: refusal });
    tell({ kind: 'attention', code: BLOCKS_CODE, problem: unknownBlocks.size > 0 ? BLOCKS : null });
    const lasts = connectedAt !== null && clock.monotonic() - connectedAt >= STEADY_MS;
    const isLate = !lasts && clock.monotonic() - lostAt > TOO_LONG_MS;
    const message =
      `For an hour, the live link has had no connection that lasted a minute. ${link.lastError?.message ?? ''}`.trim();
    const advice = link.lastError?.advice ?? OTHERWISE;
    tell({ kind: 'attention', code: CODE, problem: isLate ? { message, advice } : null });
  }

  look();
  return {
    look,
    trying(broker: BrokerAddress): void {
      link = { ...link, broker: brokerName(broker) };
    },
    connected(version: MqttVersion): void {
      connectedAt = clock.monotonic();
      // The broker sends them again.
      unknownBlocks.clear();
      link = { ...link, connected: true, mqtt: version === 5 ? '5' : '3.1.1', since: clock.now() };
      look();
    },
    /** Call it for each message: whether the broker has taken it, and if not, why. */
    published(topic: string, isTaken: boolean, why = ''): void {
      // What was on its way fails with the connection; that says nothing about rights.
      if (!link.connected) return;
      if (isTaken) refused.delete(topic);
      else refused.set(topic, { times: (refused.get(topic)?.times ?? 0) + 1, why });
    },
    /** Call it for each document of blocks, with why it was refused; null: it was not. */
    blocks(topic: string, refusal: Refusal | null): void {
      if (refusal === 'unknown-key') unknownBlocks.add(topic);
      else unknownBlocks.delete(topic);
      look();
    },
    failed({ code, message }: ConnectionError): void {
      const now = clock.now();
      const since = link.connected ? now : link.since;
      // A broker may accept a kiosk every time, and end each connection for what the kiosk sends then.
      if (connectedAt !== null && clock.monotonic() - connectedAt >= STEADY_MS) lostAt = clock.monotonic();
      connectedAt = null;
      refused.clear();
      const lastError = { code, message: `${link.broker}: ${message}`, advice: adviceOf(code), at: now };
      link = { ...link, connected: false, mqtt: null, since, lastError };
      look();
    },
  };
}
