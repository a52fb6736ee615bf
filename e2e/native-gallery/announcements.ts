import type { Announcement } from '../../shared/stage';

const announcing =
  (language: string) =>
  (severity: Announcement['severity'], text: string): Announcement => ({ severity, text, language });
const english = announcing('en');
const german = announcing('de');

const EVACUATION_EN =
  'Fire alarm. Please leave the building now by the nearest exit. Do not use the lifts, and leave your trolley where it is. Our staff in yellow vests show you the way to the assembly point in car park B. If you need help, speak to any of them or press the red button beside the doors. Please do not come back in until the fire brigade has said that it is safe to do so.';
const EVACUATION_DE =
  'Feueralarm. Bitte verlassen Sie das Gebäude sofort durch den nächstgelegenen Notausgang. Benutzen Sie keine Aufzüge und lassen Sie Ihren Einkaufswagen stehen. Unsere Sicherheitsmitarbeiterinnen und Sicherheitsmitarbeiter in gelben Warnwesten zeigen Ihnen den Weg zum Sammelplatz auf dem Parkdeck B. Wenn Sie Unterstützung benötigen, sprechen Sie sie bitte an oder drücken Sie den roten Knopf neben den Türen. Kehren Sie erst zurück, wenn die Feuerwehr das Gebäude wieder freigegeben hat.';
const OPENING_EN =
  'Dear customers, on Saturday we close at 4 p.m. because of the stocktaking. The bakery, the pharmacy and the parcel counter on the ground floor stay open until 8 p.m. as usual.\nOrders for the click-and-collect lockers can be picked up at any time. Thank you for your patience, and we look forward to seeing you again on Monday from 7 a.m.';
const OPENING_DE =
  'Liebe Kundinnen und Kunden, wegen der Jahresinventur schließen wir am Samstag bereits um 16 Uhr. Bäckerei, Apotheke und Paketannahmestelle im Erdgeschoss bleiben wie gewohnt bis 20 Uhr geöffnet.\nBestellungen können Sie jederzeit an den Abholfächern entgegennehmen. Wir danken Ihnen für Ihr Verständnis und freuen uns, Sie am Montag ab 7 Uhr wieder begrüßen zu dürfen.';

/** Announcements of every severity and length, by name. */
export const ANNOUNCEMENTS: Readonly<Record<string, Announcement>> = {
  'information-short-en': english('information', 'The store closes in ten minutes.'),
  'information-short-de': german('information', 'Öffnungszeitenänderung: heute nur bis 18 Uhr.'),
  'information-long-en': english('information', OPENING_EN),
  'information-long-de': german('information', OPENING_DE),
  'warning-middle-en': english(
    'warning',
    'The lift to the lower ground floor is out of order. Please use the moving walkway beside the tills.',
  ),
  'warning-middle-de': german(
    'warning',
    'Produktrückruf: Bitte bringen Sie „Haselnussaufstrich 400 g“ der Charge L2211 zur Kundeninformation zurück.',
  ),
  'emergency-short-en': english('emergency', 'Please leave the store now.'),
  'emergency-short-de': german('emergency', 'Bitte verlassen Sie sofort das Gebäude.'),
  'emergency-long-en': english('emergency', EVACUATION_EN),
  'emergency-long-de': german('emergency', EVACUATION_DE),
};

/** Extreme announcements that the screen must still lay out, such as the longest text as one word or as lines. */
export const HOSTILE_ANNOUNCEMENTS: Readonly<Record<string, Announcement>> = {
  'one word': german('warning', 'Donaudampfschifffahrtsgesellschaft'.repeat(14).slice(0, 500)),
  lines: english('emergency', 'Line by line\n'.repeat(24)),
  // What `MessageCard` shows.
  'cannot start': english(
    'warning',
    `This kiosk cannot start\n\nThe settings in /etc/endcap/config.json cannot be used:\n${'  service.baseUrl: Expected an address that begins with https://, got "ads".\n'.repeat(7)}…and 3 more. All are in logs/endcap.log.`,
  ),
  'wide letters': english('information', 'W'.repeat(500)),
  arabic: announcing('ar')('emergency', 'يرجى مغادرة المتجر الآن. '.repeat(20).slice(0, 500)),
  thai: announcing('th')('information', 'ร้านจะปิดในอีกสิบนาที'.repeat(20).slice(0, 500)),
};
