import type { OverlayLanguage } from '../../../shared/admin';
import { both, pageWords, template } from '../../translations';

/** Endcap's own texts for shoppers: on the brand card and the card of a pause, around native ads, and in the link view. */
const wordsOf = pageWords({
  /** Language of these texts. */
  language: both<OverlayLanguage>('en', 'de'),
  /** On the brand card, when nothing plays. */
  greeting: both('Enjoy your shopping.', 'Viel Freude beim Einkaufen.'),
  /** While staff have paused the kiosk. */
  maintenanceTitle: both('Back in a moment.', 'Gleich geht es weiter.'),
  maintenanceLine: both('This screen is being looked after.', 'Dieser Bildschirm wird gerade gewartet.'),
  advertisement: both('Ad', 'Anzeige'),
  learnMore: both('Learn more', 'Mehr erfahren'),
  aboutThisAd: both('About this ad', 'Über diese Anzeige'),
  back: both('Back', 'Zurück'),
  /** `stars`: already formatted for the language. */
  rating: template('{stars} out of 5 stars', '{stars} von 5 Sternen'),
  opening: both('Opening', 'Wird geöffnet'),
  visiting: both('You are visiting', 'Sie besuchen'),
  pageFailed: both('This page cannot be shown right now.', 'Diese Seite lässt sich gerade nicht anzeigen.'),
  pageFailedAdvice: both('Tap Back to return.', 'Mit „Zurück“ geht es weiter.'),
  /** `seconds` ≥ 0, whole. */
  closesIn: template('Closes in {seconds} s', 'Schließt in {seconds} s'),
  moreTime: both('More time', 'Mehr Zeit'),
  onYourPhone: both('Continue on your phone', 'Weiter auf Ihrem Handy'),
  scanTheCode: both(
    'Point your camera at the code and open the link.',
    'Kamera auf den Code richten und den Link öffnen.',
  ),
  codeLeadsTo: both('Leads to', 'Führt zu'),
});

/** The strings of a language tag (`de-AT` is `de`); English where there are none. */
export function stringsFor(language: string) {
  return wordsOf({ language: language.toLowerCase().split('-')[0] === 'de' ? 'de' : 'en' });
}

/** The host of an http(s) address as shoppers see it, without `www.`; null: it has none. */
export function shownDomain(url: string): string | null {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return null;
  return new URL(url).hostname.replace(/^www\.(?=.+\.)/, '');
}
