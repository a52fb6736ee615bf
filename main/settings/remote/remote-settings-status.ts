import type { Status } from '../../status/status';
import { pathsIn } from './remote-document';
import { documentOf, type StoredRemoteSettings } from './remote-settings';

/** Stored remote settings that this start could not use. */
export interface UnusableRemoteSettings {
  readonly jti: string;
  /** The reasons, in sentences. */
  readonly why: string;
}

/** The state of the remote settings. */
export interface RemoteSettingsStatus {
  /** Null: the file alone is in force. */
  readonly inForce: NonNullable<Status['settings']>['remote'];
  /** Why the stored settings are not in force; null: they are, or there are none. */
  readonly setAside: string | null;
  /** Why the last remote settings were taken back; null: they were not. */
  readonly takenBack: { readonly by: string; readonly error: string } | null;
}

export function remoteSettingsStatus(
  kept: StoredRemoteSettings,
  setAside: UnusableRemoteSettings | null,
): RemoteSettingsStatus {
  const { trial, takenBack } = kept;
  const document = documentOf(kept);
  const isAside = setAside !== null && document?.jti === setAside.jti;
  const { settings = null, by = '', at = 0 } = document ?? {};
  return {
    inForce:
      settings === null || isAside
        ? null
        : { since: at, by, settings: [...pathsIn(settings)], onTrial: trial !== null },
    setAside: isAside ? setAside.why : null,
    takenBack,
  };
}
