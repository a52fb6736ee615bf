import type { z } from 'zod';
import { InventoryMessage, NowMessage, ProofMessage, StateMessage } from '../fleet/link/messages';
import { type Addressee, KIOSK_NAME } from '../fleet/link/topics';
import { plainText } from './command-result';

/** Longest message of a kiosk that is read, bytes; its answers to commands may be longer. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** Who may publish as any kiosk could make up more than there are. */
const MAX_KIOSKS = 200_000;

const SCHEMAS = {
  state: StateMessage,
  now: NowMessage,
  proof: ProofMessage,
  inventory: InventoryMessage,
} as const satisfies Record<string, z.ZodType<KioskMessage>>;
type MessageName = keyof typeof SCHEMAS;
type KioskMessage = StateMessage | NowMessage | ProofMessage | InventoryMessage;

/** What is known of a kiosk: its newest messages. */
export interface KioskView {
  readonly kiosk: string;
  readonly state: StateMessage | null;
  readonly now: NowMessage | null;
  readonly proof: ProofMessage | null;
  readonly inventory: InventoryMessage | null;
  /** Since when its state is what it is, as far as was heard; null when only a last will tells it. */
  readonly since: string | null;
  /** Newest time that the kiosk itself told, by its own clock. */
  readonly heardAt: string | null;
}

/** What one message changed; `after` is null when the kiosk was taken off the broker. */
export interface KioskChange {
  readonly topic: MessageName;
  readonly before: KioskView | null;
  readonly after: KioskView | null;
}

export interface FleetView {
  /** Takes a message; null when it is none of a kiosk, or cannot be read. */
  take(topic: string, payload: Uint8Array): KioskChange | null;
  readonly kiosks: ReadonlyMap<string, KioskView>;
  /** Messages that were not what a kiosk says. */
  readonly unreadable: number;
}

/** The kiosks of a fleet, as their messages tell. */
export function createFleetView(prefix: string): FleetView {
  const kiosks = new Map<string, KioskView>();
  let unreadable = 0;
  return {
    kiosks,
    get unreadable() {
      return unreadable;
    },
    take(topic, payload) {
      const place = kioskOf(prefix, topic);
      if (place === null || !isMessageName(place.name)) return null;
      const { kiosk, name } = place;
      const before = kiosks.get(kiosk) ?? null;
      // An empty message takes a retained one away.
      if (payload.length === 0) {
        if (name === 'state') kiosks.delete(kiosk);
        return name === 'state' && before !== null ? { topic: name, before, after: null } : null;
      }
      const message = readMessage<KioskMessage>(SCHEMAS[name], payload);
      if (message === null || message.kiosk !== kiosk || (before === null && kiosks.size >= MAX_KIOSKS)) {
        unreadable += 1;
        return null;
      }
      const after = changed(before ?? { kiosk, ...NOTHING }, name, message);
      kiosks.set(kiosk, after);
      return { topic: name, before, after };
    },
  };
}

const NOTHING = { state: null, now: null, proof: null, inventory: null, since: null, heardAt: null };

function changed(before: KioskView, name: MessageName, message: { at: string }): KioskView {
  const after = { ...before, [name]: message };
  // Of a last will the time is when the connection was made.
  const isWill = name === 'state' && after.state?.online === false && after.state.state === null;
  const heardAt = isWill ? before.heardAt : later(before.heardAt, message.at);
  if (name !== 'state' || after.state === null) return { ...after, heardAt };
  const isSame = before.state?.online === after.state.online && before.state.state === after.state.state;
  return { ...after, heardAt, since: isSame ? before.since : isWill ? null : message.at };
}

const later = (a: string | null, b: string): string => (a !== null && Date.parse(a) > Date.parse(b) ? a : b);

/** A kiosk's topic in parts; null for any other. */
export function kioskOf(prefix: string, topic: string): { kiosk: string; name: string } | null {
  if (!topic.startsWith(`${prefix}/`)) return null;
  const [kiosk = '', name = '', ...more] = topic.slice(prefix.length + 1).split('/');
  return more.length === 0 && KIOSK_NAME.test(kiosk) ? { kiosk, name } : null;
}

/** A foreign message that fits its schema and is not too long; null otherwise. */
export function readMessage<T>(
  schema: z.ZodType<T>,
  payload: Uint8Array,
  most = MAX_MESSAGE_BYTES,
): T | null {
  if (payload.length > most) return null;
  try {
    const read = schema.safeParse(JSON.parse(new TextDecoder().decode(payload)));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

const isMessageName = (name: string): name is MessageName => Object.hasOwn(SCHEMAS, name);

/** Whether a command to this addressee is for the kiosk. */
export function isAddressed({ kiosk, state }: KioskView, to: Addressee): boolean {
  if (to === 'all') return true;
  if (to.startsWith('kiosk:')) return to === `kiosk:${kiosk}`;
  return state?.groups.includes(to.slice('group:'.length)) === true;
}

/** Of a name or a code, characters. */
const MOST_CHARACTERS = 40;

/** What people call a kiosk: store, zone and screen of its settings, else its host's name. */
export function nameOf(view: KioskView | null): string {
  const { storeId, zone, screenId } = view?.state ?? { storeId: null, zone: null, screenId: null };
  const place = [storeId, zone, screenId].filter((part) => part !== null && part !== '').join('/');
  return plainText(place === '' ? (view?.inventory?.hostName ?? '') : place, MOST_CHARACTERS);
}

/** Its state in a word. */
export const stateOf = ({ state }: KioskView): string =>
  state === null ? 'unknown' : state.online ? (state.state ?? 'online') : 'offline';

/** Codes of its problems. */
export const problemsOf = ({ state }: KioskView): string[] =>
  (state?.problems ?? []).map(({ code }) => plainText(code, MOST_CHARACTERS));
