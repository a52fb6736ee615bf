import type { z } from 'zod';
import { InventoryMessage, NowMessage, ProofMessage, StateMessage } from '../fleet/link/messages';
import { type Addressee, addresseesOf, KIOSK_NAME } from '../fleet/link/topics';
import { jsonOf } from '../whole-file';
import { plainText } from './command-result';

/** Longest message of a kiosk that is read, bytes; its answers to commands may be longer. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** A bound, because whoever may publish as any kiosk could invent any number of them. */
const MAX_KIOSKS = 200_000;

const SCHEMAS = {
  state: StateMessage,
  now: NowMessage,
  proof: ProofMessage,
  inventory: InventoryMessage,
} as const;
type MessageName = keyof typeof SCHEMAS;
type KioskMessage = z.infer<(typeof SCHEMAS)[MessageName]>;
type NewestMessages = { readonly [Name in MessageName]: z.infer<(typeof SCHEMAS)[Name]> | null };

export interface KioskView extends NewestMessages {
  readonly kiosk: string;
  /** Since when it has been in its state, as far as messages show (RFC 3339); null if only a last will shows it. */
  readonly since: string | null;
  /** Newest time in a message of the kiosk itself, by its own clock (RFC 3339). */
  readonly heardAt: string | null;
}

/** What one message changed; `after` is null if the kiosk was removed from the broker. */
export interface KioskChange {
  readonly topic: MessageName;
  readonly before: KioskView | null;
  readonly after: KioskView | null;
}

export type FleetView = ReturnType<typeof createFleetView>;

/** The kiosks of a fleet, as their messages report them. */
export function createFleetView(prefix: string) {
  const kiosks = new Map<string, KioskView>();
  let unreadable = 0;
  return {
    kiosks: kiosks as ReadonlyMap<string, KioskView>,
    /** Number of messages that were invalid. */
    get unreadable() {
      return unreadable;
    },
    /** Takes a message; null if it is not from a kiosk, cannot be read, or changes nothing. */
    take(topic: string, payload: Uint8Array): KioskChange | null {
      const place = kioskOf(prefix, topic);
      if (place === null || !isMessageName(place.name)) return null;
      const { kiosk, name } = place;
      const before = kiosks.get(kiosk) ?? null;
      // An empty message deletes a retained one.
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
  // The time of a last will is when the connection was made.
  const isWill = name === 'state' && after.state?.online === false && after.state.state === null;
  const heardAt = isWill ? before.heardAt : later(before.heardAt, message.at);
  if (name !== 'state' || after.state === null) return { ...after, heardAt };
  const isSame = before.state?.online === after.state.online && before.state.state === after.state.state;
  // Without `since`, a list that has just begun knows only when something in the message changed.
  const told = isWill ? null : message.at;
  return { ...after, heardAt, since: after.state.since ?? (isSame ? before.since : told) };
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
  return schema.safeParse(jsonOf(new TextDecoder().decode(payload))).data ?? null;
}

const isMessageName = (name: string): name is MessageName => Object.hasOwn(SCHEMAS, name);

/** Whether a command to this addressee is for the kiosk. */
export const isAddressed = ({ kiosk, state }: KioskView, to: Addressee): boolean =>
  addresseesOf(kiosk, state?.groups ?? []).includes(to);

/** Longest name or code that is shown, characters. */
const MAX_CHARACTERS = 40;

/** What people call a kiosk: store, zone and screen of its settings, else its host's name. */
export function nameOf(view: KioskView | null): string {
  const { storeId, zone, screenId } = view?.state ?? { storeId: null, zone: null, screenId: null };
  const place = [storeId, zone, screenId].filter((part) => part !== null && part !== '').join('/');
  return plainText(place === '' ? (view?.inventory?.hostName ?? '') : place, MAX_CHARACTERS);
}

/** Its state in a word, which may be one of a newer version. */
export const stateOf = ({ state }: KioskView): string =>
  state === null ? 'unknown' : state.online ? plainText(state.state ?? 'online', MAX_CHARACTERS) : 'offline';

export const problemsOf = ({ state }: KioskView): string[] =>
  (state?.problems ?? []).map(({ code }) => plainText(code, MAX_CHARACTERS));
