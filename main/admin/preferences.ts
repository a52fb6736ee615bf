import { z } from 'zod';
import { OverlayLanguage, type OverlayPreferences, OverlayTheme } from '../../shared/admin';
import type { Log } from '../../shared/log';
import { asJson, openStateFile } from '../state-file';

/** What people chose on the kiosk itself. */
const Chosen = z.object({
  language: OverlayLanguage.optional().catch(undefined),
  theme: OverlayTheme.optional().catch(undefined),
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
  const kept = await openStateFile<Chosen>({
    ...{ path: file, ...asJson(Chosen), nothing: {}, ifUnread: 'keep', log },
    merge: (stored, newer) => ({ ...stored, ...newer }),
    unread: 'preferences of the overlay cannot be read',
    notStored: 'preferences of the overlay could not be stored',
  });
  const spoken = OverlayLanguage.safeParse(settingsLanguage.split('-')[0]).data ?? 'en';
  return {
    overlay: (): OverlayPreferences => ({
      language: kept.now().language ?? spoken,
      theme: kept.now().theme ?? 'system',
    }),
    /** Null: as the settings say. */
    volume: () => kept.now().volume ?? null,
    choose: (change: Chosen): Promise<void> =>
      kept.changeEvenIfNotStored((chosen) => ({ ...chosen, ...change })),
  };
}
