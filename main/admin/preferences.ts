import { z } from 'zod';
import { OverlayLanguage, type OverlayPreferences, OverlayTheme } from '../../shared/admin';
import type { Log } from '../../shared/log';
import { createWholeFile, readJsonIfThere } from '../whole-file';

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
  let chosen: Chosen = {};
  let isRead = false;
  async function read(): Promise<void> {
    if (isRead) return;
    chosen = { ...(await readJsonIfThere(file, Chosen)), ...chosen };
    isRead = true;
  }
  await read().catch((error: unknown) =>
    log.error('preferences of the overlay cannot be read now', { error }),
  );
  const spoken = OverlayLanguage.safeParse(settingsLanguage.split('-')[0]).data ?? 'en';
  const kept = createWholeFile(file, 0o600);
  return {
    overlay: (): OverlayPreferences => ({
      language: chosen.language ?? spoken,
      theme: chosen.theme ?? 'system',
    }),
    /** Null: as the settings say. */
    volume: () => chosen.volume ?? null,
    choose(change: Chosen): Promise<void> {
      chosen = { ...chosen, ...change };
      return read()
        .then(() => kept.write(`${JSON.stringify(chosen)}\n`))
        .catch((error: unknown) => log.error('preferences of the overlay could not be stored', { error }));
    },
  };
}
