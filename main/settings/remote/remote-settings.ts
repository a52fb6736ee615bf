import { z } from 'zod';
import { plain } from '../../../shared/plain';
import { pathsIn } from './remote-document';

/** The largest time that a `Date` can hold, s. */
const MAX_SECONDS = 8_640_000_000_000;
/** Most endings that wait to be reported; the oldest are dropped first. */
const MAX_UNANSWERED = 20;

const RemoteDocument = z.object({
  /**
   * Time of the command with the document, seconds since 1970: an older document never replaces a newer one.
   */
  iat: plain.count,
  jti: z.string().max(128),
  /** Whom it is for; undefined: an older Endcap stored it. */
  aud: z.string().max(128).optional(),
  /** Fingerprint of the key that signed it. */
  by: z.string().max(100),
  /** When the kiosk accepted it, ms since the epoch. */
  at: plain.number,
  /** Merged over the file; null: the file alone. */
  settings: z.record(plain.text, z.unknown()).nullable(),
});
/** Settings that the fleet's operator sent. */
export type RemoteDocument = z.infer<typeof RemoteDocument>;

/** What must be drawn for the trial to succeed: an ad if one was on the screen before, else anything. */
const Needs = z.enum(['ad', 'anything']);
export type Needs = z.infer<typeof Needs>;

const TrialEnding = z.object({
  jti: plain.text,
  by: plain.text,
  /** Why it was taken back; null: it is kept. */
  error: plain.textOrNull,
  /** Left out: it did not play, where `error` says so. */
  reason: z.literal('superseded').optional(),
  /** It is in the action record. */
  isRecorded: plain.yesOrNo,
});
export type TrialEnding = z.infer<typeof TrialEnding>;

/** The content of the file in the data folder. */
export const StoredRemoteSettings = z.object({
  version: z.literal(1),
  /** `iat` of the newest document that was accepted, even if it was taken back. */
  newest: z.int().min(0).max(MAX_SECONDS),
  /** The document that passed its trial, or needed none; null: none yet. */
  proven: RemoteDocument.nullable(),
  /** The document on trial. `isBegun`: a run has started to play with it. */
  trial: z.object({ document: RemoteDocument, needs: Needs, isBegun: plain.yesOrNo }).nullable(),
  /** Why the last one was taken back; null: it was not. */
  takenBack: z.object({ at: plain.number, by: plain.text, error: plain.text }).nullable(),
  /** Endings that the operator has not received yet. */
  unanswered: z.array(TrialEnding).max(MAX_UNANSWERED),
});
export type StoredRemoteSettings = z.infer<typeof StoredRemoteSettings>;

export const NO_STORED_SETTINGS: StoredRemoteSettings = {
  version: 1,
  newest: 0,
  proven: null,
  trial: null,
  takenBack: null,
  unanswered: [],
};

/**
 * The state of a file that is damaged, or cannot be read now. An object of its own, because `readTogether` tells it from
 * `NO_STORED_SETTINGS` by identity.
 */
export const LOST_SETTINGS: StoredRemoteSettings = { ...NO_STORED_SETTINGS };

const REPLACED = { error: 'Newer settings took their place.', reason: 'superseded' } as const;

// Transitions of the stored state. Pure: `remote-settings-store.ts` stores a state before it takes effect.

/**
 * Accepts a document. It ends a trial of an older one.
 *
 * @param trial null: it changes nothing in force, so it needs none; `isBegun`: it takes effect in this run
 */
export const accepted = (
  kept: StoredRemoteSettings,
  document: RemoteDocument,
  trial: { readonly needs: Needs; readonly isBegun: boolean } | null,
): StoredRemoteSettings => ({
  ...(kept.trial === null ? kept : ended(kept, kept.trial.document, REPLACED)),
  newest: document.iat,
  takenBack: null,
  ...(trial === null ? { proven: document } : { trial: { document, ...trial } }),
});

/** At the start of a run: a trial begins, or is lost because the run that began it ended before anything was drawn. */
export function atStart(kept: StoredRemoteSettings, at: number): StoredRemoteSettings {
  if (kept.trial === null) return kept;
  if (kept.trial.isBegun)
    return takenBack(
      kept,
      'The kiosk stopped before it played with the new settings, so the previous settings are in force again.',
      at,
    );
  return { ...kept, trial: { ...kept.trial, isBegun: true } };
}

export const withTrialPassed = (kept: StoredRemoteSettings): StoredRemoteSettings =>
  kept.trial === null
    ? kept
    : { ...ended(kept, kept.trial.document, { error: null }), proven: kept.trial.document };

export function takenBack(kept: StoredRemoteSettings, error: string, at: number): StoredRemoteSettings {
  if (kept.trial === null) return kept;
  const { document } = kept.trial;
  return { ...ended(kept, document, { error }), takenBack: { at, by: document.by, error } };
}

/** Whether a document is for another kiosk: this disk is a copy, or the kiosk had another key when it accepted it. */
export const isForAnother = (document: RemoteDocument | null, kiosk: string): boolean =>
  document?.aud?.startsWith('kiosk:') === true && document.aud !== `kiosk:${kiosk}`;

/** Without the documents for another kiosk; without an answer, because that kiosk gives it. */
export function withoutOthers(kept: StoredRemoteSettings, kiosk: string, at: number): StoredRemoteSettings {
  const document = documentOf(kept);
  if (document === null || !isForAnother(document, kiosk)) return kept;
  const error = `They are for ${document.aud}, and this kiosk has another name now.`;
  return {
    ...kept,
    trial: null,
    proven: isForAnother(kept.proven, kiosk) ? null : kept.proven,
    takenBack: { at, by: document.by, error },
  };
}

export const withoutEnding = (kept: StoredRemoteSettings, jti: string): StoredRemoteSettings => ({
  ...kept,
  unanswered: kept.unanswered.filter((ending) => ending.jti !== jti),
});

export const recorded = (kept: StoredRemoteSettings): StoredRemoteSettings => ({
  ...kept,
  unanswered: kept.unanswered.map((ending) => ({ ...ending, isRecorded: true })),
});

/** The document that this run uses; null: the file alone. */
export const documentOf = ({ trial, proven }: StoredRemoteSettings): RemoteDocument | null =>
  trial?.document ?? proven;

/** Stored remote settings that this start could not use. */
export interface UnusableRemoteSettings {
  /** Undefined: their file cannot be read. */
  readonly jti: string | undefined;
  /** The reasons, in sentences. */
  readonly why: string;
}

export type RemoteSettingsStatus = ReturnType<typeof remoteSettingsStatus>;

export function remoteSettingsStatus(kept: StoredRemoteSettings, setAside: UnusableRemoteSettings | null) {
  const { trial, takenBack } = kept;
  const document = documentOf(kept);
  const isAside = setAside !== null && document?.jti === setAside.jti;
  const settings = isAside ? null : document?.settings;
  return {
    /** Null: the file alone is in force. */
    inForce:
      document && settings
        ? { since: document.at, by: document.by, settings: [...pathsIn(settings)], onTrial: trial !== null }
        : null,
    /** Why the stored settings are not in force; null: they are, or there are none. */
    setAside: isAside ? setAside.why : null,
    takenBack,
  };
}

function ended(
  kept: StoredRemoteSettings,
  { jti, by }: RemoteDocument,
  how: Pick<TrialEnding, 'error' | 'reason'>,
): StoredRemoteSettings {
  const ending = { jti, by, ...how, isRecorded: false };
  return { ...kept, trial: null, unanswered: [...kept.unanswered, ending].slice(-MAX_UNANSWERED) };
}
