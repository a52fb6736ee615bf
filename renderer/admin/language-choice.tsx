import type { OverlayPreferences } from '../../shared/admin';
import { useModel, useTools } from './overlay-context';
import { Choice } from './parts/pieces';
import { LANGUAGES } from './strings';

/** Main stores the preferences and sends them back. */
export function usePreferences(): [OverlayPreferences | null, (change: Partial<OverlayPreferences>) => void] {
  const { calls } = useTools();
  const preferences = useModel(({ state }) => state?.preferences ?? null);
  return [preferences, (change) => void calls.ask('setPreferences', change)];
}

export function LanguageChoice() {
  const { strings } = useTools();
  const [, prefer] = usePreferences();
  return (
    <Choice
      label={strings.languageLabel}
      value={strings.language}
      options={LANGUAGES.map(({ language, name }) => ({ value: language, words: name }))}
      onChoose={(language) => prefer({ language })}
    />
  );
}
