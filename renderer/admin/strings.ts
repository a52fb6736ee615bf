import type { OverlayLanguage } from '../../shared/admin';
import { ENGLISH, type Strings } from './strings/english';
import { GERMAN } from './strings/german';

export type { Strings };

const TABLE: Readonly<Record<OverlayLanguage, Strings>> = { en: ENGLISH, de: GERMAN };

export function stringsFor(language: OverlayLanguage): Strings {
  return TABLE[language];
}

export const LANGUAGES: readonly Strings[] = [ENGLISH, GERMAN];
