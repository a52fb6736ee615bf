import type { SetUpForm } from '../../shared/admin';
import { type Json, valueAt, withValue } from '../settings/json-values';

/** What the set-up's fields show of `network.proxy`, which holds address, user and password in one. */
export interface ProxyEntries {
  /** `http://host:port`, "system", or empty: there is none. */
  readonly proxyUrl: string;
  readonly proxyUser: string;
  readonly hasPassword: boolean;
}

const SETTING = ['network', 'proxy'] as const;

/** Pure. Without the password: that never leaves main (rule 23). */
export function proxyEntries(raw: unknown): ProxyEntries {
  const { address, user, password } = split(valueAt(raw, SETTING));
  return { proxyUrl: address, proxyUser: user, hasPassword: password !== '' };
}

/**
 * Settings with the proxy that was entered. A password that was not typed anew stays as long as
 * there is a user; user and password that were typed as part of the address are taken as such.
 * An invalid proxy is left as typed: the check of the settings reports it. Pure.
 */
export function withProxy(
  raw: Json,
  { proxyUrl, proxyUser, proxyPassword }: Pick<SetUpForm, 'proxyUrl' | 'proxyUser' | 'proxyPassword'>,
): Json {
  const entered = proxyUrl.trim();
  if (entered === '' || entered === 'system') return withValue(raw, SETTING, entered || undefined);
  const typed = split(entered);
  const user = proxyUser.trim() || typed.user;
  const stored = split(valueAt(raw, SETTING)).password;
  const password = proxyPassword ?? (typed.password || stored);
  if (user === '') return withValue(raw, SETTING, typed.address);
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return withValue(raw, SETTING, typed.address.replace('://', `://${credentials}@`));
}

/** An address as it may be kept before it is saved: somebody may have typed a password into it. */
export function withoutPassword(proxyUrl: string): string {
  return proxyUrl.replace(/^([a-z][a-z0-9+.-]*:)?\/*[^/]*@/i, '$1//');
}

function split(setting: unknown): { address: string; user: string; password: string } {
  const none = { address: '', user: '', password: '' };
  if (typeof setting !== 'string') return none;
  const url = URL.parse(setting);
  if (url?.protocol !== 'http:') return { ...none, address: withoutPassword(setting) };
  return {
    address: withoutPassword(setting),
    user: decoded(url.username),
    password: decoded(url.password),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
