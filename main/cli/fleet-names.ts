import type { KioskView } from './fleet-kiosks';
import { plainText } from './plain-text';

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
