import { createHash } from 'node:crypto';
import type { Settings } from './settings';

/**
 * The identity of the books these settings keep (rule 26): it changes with the
 * service's `baseUrl`, the project or the player, and with nothing else. It reads
 * `HOST-HEX`, in the letters `a-z0-9.-`, so that it can name files and rows.
 */
export function environmentKey(settings: Settings): string {
  const { baseUrl, projectId } = settings.service;
  return keyOf(baseUrl, [baseUrl, projectId, settings.ads.params.playerid ?? null]);
}

/** What versions up to 0.1 named the books of these settings: it changed with every service address. */
export function formerEnvironmentKey(settings: Settings): string {
  const { baseUrl, authUrl, nativeUrl, projectId } = settings.service;
  return keyOf(baseUrl, [baseUrl, authUrl, nativeUrl, projectId, settings.ads.params.playerid ?? null]);
}

function keyOf(baseUrl: string, identity: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  const host = new URL(baseUrl).hostname.replace(/[^a-z0-9.-]/g, '').slice(0, 40);
  return `${host}-${digest.slice(0, 16)}`;
}
