import type { Log } from '../../shared/log';
import type { Reading } from '../reading/reading';
import type { WrapperOptions } from '../service/ads-reading/wrappers';
import type { Http } from '../service/http';
import type { Settings } from '../settings/settings';
import { createNativeClient, type NativeClient } from './native-client';
import type { NativeDevice } from './native-device';

/** The client of native ads; null if they are off, or required settings are missing (rule 20). */
export function configuredNativeClient(parts: {
  readonly settings: Settings;
  readonly http: Http;
  /** Null: wrappers in answers cannot be used. */
  readonly wrappers: WrapperOptions | null;
  readonly reading: Pick<Reading, 'read'>;
  readonly device: NativeDevice;
  readonly newId: () => string;
  readonly log: Log;
}): NativeClient | null {
  const { settings, log } = parts;
  const { nativeUrl } = settings.service;
  if (!settings.native.enabled || nativeUrl === null) return null;
  const language = settings.ui.language;
  const made = createNativeClient({ ...parts, nativeUrl, settings: settings.native, language });
  if (made.kind === 'client') return made.client;
  for (const { path, message } of made.problems) log.error('native ads are off', { setting: path, message });
  return null;
}
