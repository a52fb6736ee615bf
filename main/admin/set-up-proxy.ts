import type { SetUpForm } from '../../shared/admin';
import { type Json, valueAt, withValue } from '../settings/json-values';

const SETTING = ['network', 'proxy'] as const;

/**
 * The set-up's fields for `network.proxy`, which holds address, user and password in one. Pure. Without the password,
 * which never leaves main (rule 23).
 */
export function proxyEntries(raw: unknown) {
  const { password, ...shown } = split(valueAt(raw, SETTING));
  return { ...shown, hasPassword: password !== '' };
}

/**
 * Adds the entered proxy to the settings. If no new password was typed, the stored one stays as long as there is a
 * user. A user and a password that were typed as part of the address are used. An invalid proxy is left as typed: the
 * check of the settings reports it. Pure.
 */
export function withProxy(
  raw: Json,
  { proxyUrl, proxyUser, proxyPassword }: Pick<SetUpForm, 'proxyUrl' | 'proxyUser' | 'proxyPassword'>,
): Json {
  const entered = proxyUrl.trim();
  if (entered === '') return withValue(raw, SETTING, undefined);
  const typed = split(entered);
  const user = proxyUser.trim() || typed.proxyUser;
  const stored = split(valueAt(raw, SETTING)).password;
  const password = proxyPassword ?? (typed.password || stored);
  if (user === '') return withValue(raw, SETTING, typed.proxyUrl);
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return withValue(raw, SETTING, typed.proxyUrl.replace('://', `://${credentials}@`));
}

/** A wrong address stays wrong: a path is not taken for a password. */
const addressOf = (proxyUrl: string) => proxyUrl.replace(/^([a-z][a-z0-9+.-]*:)?\/*[^/]*@/i, '$1//');

/** `proxyUrl`: `http://host:port`, "system", or empty: there is none. */
function split(setting: unknown): { proxyUrl: string; proxyUser: string; password: string } {
  const none = { proxyUrl: '', proxyUser: '', password: '' };
  if (typeof setting !== 'string') return none;
  const proxyUrl = addressOf(setting);
  const url = URL.parse(setting);
  if (url?.protocol !== 'http:') return { ...none, proxyUrl };
  return { proxyUrl, proxyUser: decoded(url.username), password: decoded(url.password) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
