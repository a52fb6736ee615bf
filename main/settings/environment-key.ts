import { createHash } from 'node:crypto';
import type { Settings } from './settings';

/**
 * The name of the books these settings keep (rule 26): it changes with a service
 * address, the project or the player, and with nothing else. It reads
 * `HOST-HEX`, in the letters `a-z0-9.-`, so that it can name files and rows.
 */
export function environmentKey(settings: Settings): string {
  const { baseUrl, authUrl, nativeUrl, projectId } = settings.service;
  const identity = [baseUrl, authUrl, nativeUrl, projectId, settings.ads.params.playerid ?? null];
  const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  const host = new URL(baseUrl).hostname.replace(/[^a-z0-9.-]/g, '').slice(0, 40);
  return `${host}-${digest.slice(0, 16)}`;
}
