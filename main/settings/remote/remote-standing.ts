import { pathsIn } from './remote-document';
import { documentOf, type KeptRemote } from './remote-settings';

/** What was kept and does not fit this start. */
export interface SetAside {
  readonly jti: string;
  /** What is wrong with it, in sentences. */
  readonly why: string;
}

/** How the operator's settings stand. */
export interface RemoteStanding {
  /** Null: the file alone is in force. Times: ms since the epoch. */
  readonly inForce: {
    readonly since: number;
    /** Fingerprint of the key that signed them. */
    readonly by: string;
    readonly settings: readonly string[];
    readonly onTrial: boolean;
  } | null;
  /** Why what is kept is not in force. */
  readonly setAside: string | null;
  /** Why the last ones that came were taken back. */
  readonly takenBack: { readonly by: string; readonly error: string } | null;
}

export function standingOf(kept: KeptRemote, setAside: SetAside | null): RemoteStanding {
  const { trial, takenBack } = kept;
  const document = documentOf(kept);
  const isAside = setAside !== null && document?.jti === setAside.jti;
  const { settings = null, by = '', at = 0 } = document ?? {};
  return {
    inForce:
      settings === null || isAside
        ? null
        : { since: at, by, settings: pathsIn(settings), onTrial: trial !== null },
    setAside: isAside ? setAside.why : null,
    takenBack,
  };
}
