import type { OverlayLanguage } from '../../shared/admin';
import { both, spoken } from './strings/both';
import { ENGLISH } from './strings/english';
import { GERMAN } from './strings/german';
import { WORDS } from './strings/words';

const TABLE = both({ ...spoken(WORDS, 'en'), ...ENGLISH }, { ...spoken(WORDS, 'de'), ...GERMAN });

/** Everything that staff read, in one language. */
export type Strings = (typeof TABLE)['en'];

export function stringsFor(language: OverlayLanguage): Strings {
  return TABLE[language];
}

export const LANGUAGES: readonly Strings[] = Object.values(TABLE);
