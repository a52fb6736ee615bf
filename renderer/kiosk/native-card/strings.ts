import type { KeyboardLanguage } from '../../keyboard/keyboard-layout';

/** Endcap's own texts for shoppers: on the brand card, around native ads, and in the link view. */
const EN = {
  /** Language of these texts. */
  language: 'en' as KeyboardLanguage,
  /** On the brand card, when nothing plays. */
  greeting: 'Enjoy your shopping.',
  advertisement: 'Ad',
  learnMore: 'Learn more',
  aboutThisAd: 'About this ad',
  back: 'Back',
  /** `stars`: already formatted for the language. */
  rating: (stars: string) => `${stars} out of 5 stars`,
  opening: 'Opening',
  visiting: 'You are visiting',
  pageFailed: 'This page cannot be shown right now.',
  pageFailedAdvice: 'Tap Back to return.',
  /** `seconds` ≥ 0, whole. */
  closesIn: (seconds: number) => `Closes in ${seconds} s`,
  moreTime: 'More time',
  keyboard: 'On-screen keyboard',
  onYourPhone: 'Continue on your phone',
  scanTheCode: 'Point your camera at the code and open the link.',
  codeLeadsTo: 'Leads to',
};
type Strings = typeof EN;

const DE: Strings = {
  language: 'de',
  greeting: 'Viel Freude beim Einkaufen.',
  advertisement: 'Anzeige',
  learnMore: 'Mehr erfahren',
  aboutThisAd: 'Über diese Anzeige',
  back: 'Zurück',
  rating: (stars) => `${stars} von 5 Sternen`,
  opening: 'Wird geöffnet',
  visiting: 'Sie besuchen',
  pageFailed: 'Diese Seite lässt sich gerade nicht anzeigen.',
  pageFailedAdvice: 'Mit „Zurück“ geht es weiter.',
  closesIn: (seconds) => `Schließt in ${seconds} s`,
  moreTime: 'Mehr Zeit',
  keyboard: 'Bildschirmtastatur',
  onYourPhone: 'Weiter auf Ihrem Handy',
  scanTheCode: 'Kamera auf den Code richten und den Link öffnen.',
  codeLeadsTo: 'Führt zu',
};

const TABLE: ReadonlyMap<string, Strings> = new Map(
  [EN, DE].map((strings) => [strings.language as string, strings]),
);

/** The strings of a language tag (`de-AT` is `de`); English where there are none. */
export function stringsFor(language: string): Strings {
  return TABLE.get(language.toLowerCase().split('-')[0] ?? '') ?? EN;
}

/** A rating with one decimal, formatted like the texts around it: `4.5`, `4,5`. */
export function ratingText(rating: number, language: string): string {
  const format = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return new Intl.NumberFormat(stringsFor(language).language, format).format(rating);
}

/** Longest domain that fits beside the back button, in characters. */
const MAX_CHARACTERS = 38;

/**
 * The host of an http(s) address as shoppers see it, without `www.`; null: it has none. A long one is shortened at its
 * beginning, because its end says whose it is.
 */
export function shownDomain(url: string): string | null {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return null;
  const host = new URL(url).hostname.replace(/^www\.(?=.+\.)/, '');
  return host.length <= MAX_CHARACTERS ? host : `…${host.slice(1 - MAX_CHARACTERS)}`;
}
