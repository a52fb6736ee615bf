import type { NativeCardContent } from '../../shared/native';

/** The spoken texts that are not from an ad. */
const EN = {
  advertisement: 'Advertisement',
  rating: (stars: string) => `${stars} out of 5 stars`,
  /** What a tap on the call to action does. */
  button: (label: string) => `Button near the bottom of the screen: ${label}`,
  learnMore: 'Learn more',
  page: (host: string) => `You are visiting ${host}`,
  pageFailed: 'This page cannot be shown right now',
  code: (host: string | null) =>
    `The screen shows a code for your phone${host === null ? '' : `. It leads to ${host}`}`,
  wayBack: 'The button at the bottom of the screen leads back',
  closes: (seconds: number) =>
    `This page closes in ${seconds} seconds. Touch the screen to keep it, or More time, beside the countdown at the bottom, for three minutes`,
};

const DE: typeof EN = {
  advertisement: 'Anzeige',
  rating: (stars) => `${stars} von 5 Sternen`,
  button: (label) => `Taste unten auf dem Bildschirm: ${label}`,
  learnMore: 'Mehr erfahren',
  page: (host) => `Sie besuchen ${host}`,
  pageFailed: 'Diese Seite lässt sich gerade nicht anzeigen',
  code: (host) =>
    `Auf dem Bildschirm steht ein Code für Ihr Handy${host === null ? '' : `. Er führt zu ${host}`}`,
  wayBack: 'Die Taste unten auf dem Bildschirm führt zurück',
  closes: (seconds) =>
    `Diese Seite schließt in ${seconds} Sekunden. Berühren Sie den Bildschirm, damit sie bleibt, oder unten beim Countdown Mehr Zeit, für drei Minuten`,
};

/** German for `de` and its variants (`de-AT`), English for all others, as on the screen. */
const wordsOf = (language: string) => (/^de(?:-|$)/i.test(language) ? DE : EN);

/** About half a minute of speech, characters. */
const MAX_CHARACTERS = 500;

/** Joins the parts in order, each as a sentence. */
function sentences(parts: ReadonlyArray<string | null>): string {
  const whole = parts
    .filter((part) => part !== null)
    .map((part) => part.replace(/[\p{Cc}\s]+/gu, ' ').trim())
    .filter((part) => part !== '')
    .map((part) => (/[.!?…。！？]$/.test(part) ? part : `${part}.`));
  return whole.join(' ');
}

/** Cuts behind a space or a sentence mark; anywhere if there is none near the limit, as in Japanese. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = text.slice(0, most).replace(/\p{Cs}$/u, '');
  const whole = /^.*[\s。！？]/su.exec(head)?.[0] ?? '';
  return `${(whole.length > most / 2 ? whole : head).trimEnd()}…`;
}

/**
 * The spoken text of a native ad: its title, the effect of its button, and the rest of its own texts. A slot may end
 * before the text does, so what to do comes before the rest. At most 500 characters, plus those for the button.
 */
export function spokenCard(content: NativeCardContent, language: string): string {
  const words = wordsOf(language);
  const { title, description, rating, callToAction } = content;
  const label = callToAction?.kind === 'text' ? callToAction.text : words.learnMore;
  const format = new Intl.NumberFormat(words === DE ? 'de' : 'en', { maximumFractionDigits: 1 });
  const stars = rating === null ? null : words.rating(format.format(rating));
  const opening = cut(sentences([words.advertisement, title]), MAX_CHARACTERS / 2);
  return sentences([
    opening,
    callToAction === null ? null : cut(words.button(label), MAX_CHARACTERS / 2),
    cut(sentences([description, stars]), MAX_CHARACTERS - opening.length),
  ]);
}

/** The spoken text for what a tap opened, and for the way back. `url`: of the page, or of the code's target. */
export function spokenLink(
  frame: { readonly kind: 'page' | 'failed' | 'code'; readonly url: string },
  language: string,
): string {
  const words = wordsOf(language);
  const { hostname } = URL.canParse(frame.url) ? new URL(frame.url) : { hostname: '' };
  // A longer host is left out, because its beginning alone would mislead.
  const host = hostname === '' || hostname.length > 100 ? null : hostname;
  const what = {
    page: host && words.page(host),
    failed: words.pageFailed,
    code: words.code(host),
  }[frame.kind];
  return sentences([what, words.wayBack]);
}

export const spokenWarning = (seconds: number, language: string): string =>
  sentences([wordsOf(language).closes(seconds)]);
