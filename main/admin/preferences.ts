import { z } from 'zod';
import type { OverlayPreferences } from '../../shared/admin';
import type { Log } from '../../shared/log';
import { OVERLAY_LANGUAGES, OVERLAY_THEMES } from '../../shared/staff';
import type { StageCommand } from '../../shared/stage';
import { asJson, openStateFile } from '../state-file';

const Language = z.enum(OVERLAY_LANGUAGES);

/** What people chose on the kiosk itself. */
const Chosen = z.object({
  language: Language.optional().catch(undefined),
  theme: z.enum(OVERLAY_THEMES).optional().catch(undefined),
  /** Sound of videos, 0 to 1; takes the place of `playback.volume`. */
  volume: z.number().min(0).max(1).optional().catch(undefined),
});
type Chosen = z.infer<typeof Chosen>;

export type Preferences = Awaited<ReturnType<typeof openPreferences>>;

/**
 * Choices made in the overlay override the settings; kept across restarts. While earlier ones cannot be read, the
 * settings hold; they are read again before their file is replaced.
 *
 * @param settingsLanguage `ui.language`; a language that the overlay does not speak becomes English
 */
export async function openPreferences(file: string, settingsLanguage: string, log: Log) {
  /** The choices of this run, which hold at once, even where the disk does not answer. */
  let now: Chosen = {};
  const listeners = new Set<() => void>();
  const kept = await openStateFile<Chosen>({
    path: file,
    ...asJson(Chosen),
    nothing: {},
    ifUnread: 'keep',
    log,
    unread: 'preferences of the overlay cannot be read',
    notStored: 'preferences of the overlay could not be stored',
  });
  const chosen = (): Chosen => ({ ...kept.now(), ...now });
  const spoken = Language.safeParse(settingsLanguage.split('-')[0]).data ?? 'en';
  return {
    overlay: (): OverlayPreferences => ({
      language: chosen().language ?? spoken,
      theme: chosen().theme ?? 'system',
    }),
    /** Null: as the settings say. */
    volume: () => chosen().volume ?? null,
    choose(change: Chosen): Promise<void> {
      now = { ...now, ...change };
      for (const listener of listeners) listener();
      return kept.changeEvenIfNotStored((stored) => ({ ...stored, ...now }));
    },
    onChange: (listener: () => void) => void listeners.add(listener),
  };
}

/**
 * The volume of videos, 0 (silent) to 1: as people chose it, else as the settings say.
 *
 * @param send called when people choose: sends it to the stage, for the videos that are prepared or play already
 */
export function volumeInForce(
  preferences: Pick<Preferences, 'volume' | 'onChange'>,
  settingsVolume: number,
  send: (command: Extract<StageCommand, { type: 'volume' }>) => void,
): () => number {
  const volume = () => preferences.volume() ?? settingsVolume;
  preferences.onChange(() => send({ type: 'volume', volume: volume() }));
  return volume;
}
