import type { OverlayLanguage } from '../../../shared/admin';
import { both, byCode, pageWords, plural, template } from '../../translations';
import { ACTIONS } from './actions';
import { PROBLEMS } from './problems';
import { SET_UP_WORDS } from './set-up';

/** Words of the whole overlay; words of a single page are in its folder. */
const WORDS = {
  language: both<OverlayLanguage>('en', 'de'),
  actions: ACTIONS,
  problems: PROBLEMS,
  ...SET_UP_WORDS,
  states: {
    starting: both('Starting', 'Startet'),
    playing: both('Playing', 'Spielt'),
    'playing-from-store': both('Playing stored ads', 'Spielt gespeicherte Werbung'),
    'no-content': both('Nothing to play', 'Nichts zu spielen'),
    paused: both('Paused for maintenance', 'Pause für Wartung'),
    closed: both('Closed', 'Geschlossen'),
    held: both('Held', 'Angehalten'),
    attention: both('Needs attention', 'Braucht Hilfe'),
  },
  operations: {
    token: both('Sign-in', 'Anmeldung'),
    inventory: both('Registration', 'Registrierung'),
    ads: both('Ads', 'Werbung'),
    native: both('Native ads', 'Native Anzeigen'),
    beacons: both('Beacons', 'Beacons'),
  },
  reasons: {
    expired: both('Expired', 'Abgelaufen'),
    audience: both('Audience', 'Zielgruppe'),
    capped: both('Cap reached', 'Limit erreicht'),
    uncountable: both('Cannot be counted', 'Nicht zählbar'),
    'no-media': both('No media', 'Keine Medien'),
    blocked: both('Blocked', 'Gesperrt'),
  },
  outcomes: {
    reserved: both('On screen', 'Läuft gerade'),
    completed: both('Completed', 'Vollständig'),
    interrupted: both('Interrupted', 'Unterbrochen'),
    failed: both('Failed', 'Fehlgeschlagen'),
    'given-back': both('Void', 'Nicht gezeigt'),
    unknown: both('Unknown', 'Unbekannt'),
  },
  scriptResults: {
    running: both('running', 'läuft'),
    ran: both('ran', 'gelaufen'),
    threw: both('threw an error', 'mit Fehler beendet'),
    'timed-out': both('timed out', 'Zeit abgelaufen'),
    crashed: both('crashed', 'abgestürzt'),
    blocked: both('was blocked', 'blockiert'),
    refused: both('could not be run', 'nicht ausführbar'),
    interrupted: both('was interrupted', 'unterbrochen'),
  },
  mediaProblems: {
    'cache-too-small': both('too small for the playlist', 'zu klein für die Liste'),
    'disk-low': both('the disk is nearly full', 'die Platte ist fast voll'),
    'disk-full': both('the disk is full', 'die Platte ist voll'),
    'disk-read-only': both('the disk cannot be written to', 'auf die Platte lässt sich nicht schreiben'),
    'folder-gone': both('the folder is gone', 'der Ordner fehlt'),
    disk: both('the disk has an error', 'die Platte hat einen Fehler'),
    file: both(
      'files cannot be fetched or shown, see “Ads” or the log',
      'Dateien sind nicht zu laden oder zu zeigen, siehe „Werbung“ oder das Protokoll',
    ),
    harmful: both(
      'a creative stopped the kiosk twice and is not shown: ask for another file',
      'ein Werbemittel brachte den Kiosk zweimal zum Stehen und läuft nicht mehr: andere Datei anfordern',
    ),
  },
  endReasons: byCode({
    overlay: both('staff opened these pages', 'das Personal öffnete diese Seiten'),
    maintenance: both('paused for maintenance', 'Pause für Wartung'),
    closed: both('the store closed', 'der Markt schloss'),
    'window-hidden display-off': both(
      'the screen was covered or off',
      'der Bildschirm war verdeckt oder aus',
    ),
    announcement: both('an announcement was shown', 'eine Mitteilung war zu sehen'),
    'link-view': both('a shopper opened the ad’s page', 'ein Kunde öffnete die Seite der Werbung'),
    'skipped stopped': both('it was taken off the screen', 'vom Bildschirm genommen'),
    blocked: both('blocked by the operator', 'vom Betreiber gesperrt'),
    'not-confirmed': both('it could not be stored in time', 'konnte nicht rechtzeitig gespeichert werden'),
    'shut-down stage-lost process-ended': both('the player ended or restarted', 'der Player endete'),
    'no-sound': both('the kiosk’s sound output failed', 'die Tonausgabe des Kiosks fiel aus'),
    stalled: both('the picture stood still', 'das Bild stand still'),
    'error load-failed decode-failed': both('could not be shown', 'nicht darstellbar'),
    'start-timeout late not-prepared': both('was not ready in time', 'nicht rechtzeitig bereit'),
  }),
  beaconErrors: byCode({
    'name connection timeout': both('no connection', 'keine Verbindung'),
    tls: both('connection not secure', 'Verbindung nicht sicher'),
    cancelled: both('cancelled', 'abgebrochen'),
    'proxy-unreachable proxy-auth proxy-refused': both(
      'the store’s proxy cannot be used',
      'Proxy des Marktes nicht nutzbar',
    ),
    'redirects answer': both('unusable answer', 'unbrauchbare Antwort'),
    fenced: both('address not allowed', 'Adresse nicht erlaubt'),
    failed: both('failed', 'fehlgeschlagen'),
    'too-late': both('too late', 'zu spät'),
    'too-many': both('too many waited', 'zu viele warteten'),
    books: both('not stored', 'nicht gespeichert'),
    'other-machine': both('left to another machine', 'einem anderen Gerät überlassen'),
    'went-back': both('the database was restored', 'die Datenbank wurde wiederhergestellt'),
  }),
  beaconStatus: template('server says {status}', 'Server sagt {status}'),

  overlay: both('Administration of this kiosk', 'Verwaltung dieses Kiosks'),
  navigation: both('Pages', 'Seiten'),
  close: both('Close', 'Schließen'),
  backToPlaying: both('Back to playing', 'Zurück zur Wiedergabe'),
  lock: both('Lock', 'Sperren'),
  clearSearch: both('Clear the search', 'Suche löschen'),
  cancel: both('Cancel', 'Abbrechen'),
  done: both('Done', 'Fertig'),
  retry: both('Try again', 'Noch einmal'),
  none: both('None', 'Keine'),
  all: both('All', 'Alle'),
  more: template('{n} more', '{n} weitere'),
  ago: template('{span} ago', 'vor {span}'),
  received: template('received {ago}', 'erhalten {ago}'),
  justNow: both('just now', 'gerade eben'),
  loading: both('Loading', 'Lädt'),
  lockingIn: template(
    'Locks in {seconds} s. Touch to stay.',
    'Sperrt in {seconds} s. Berühren, um zu bleiben.',
  ),
  readOnly: both(
    'This kiosk has no PIN: everything can be seen, nothing changed.',
    'Dieser Kiosk hat keine PIN: Alles ist zu sehen, nichts zu ändern.',
  ),
  why: {
    locked: both('Needs a PIN on this kiosk', 'Braucht eine PIN an diesem Kiosk'),
    managed: both('Decided by the settings file', 'Von der Einstellungsdatei bestimmt'),
    'not-here': both('Not on this kiosk', 'Gibt es an diesem Kiosk nicht'),
  },

  enterPin: both('Enter the PIN', 'PIN eingeben'),
  wrongPin: plural(
    ['Wrong PIN. One more try before a wait.', 'Wrong PIN. {n} tries left.'],
    ['Falsche PIN. Noch ein Versuch, dann eine Wartezeit.', 'Falsche PIN. Noch {n} Versuche.'],
  ),
  waitFor: template('Too many wrong PINs. Wait {span}.', 'Zu viele falsche PINs. Bitte {span} warten.'),

  now: both('Now', 'Jetzt'),
  kinds: both(
    { ad: 'Ad', native: 'Native ad', house: 'House creative', card: 'Brand card' },
    { ad: 'Werbung', native: 'Native Anzeige', house: 'Eigenwerbung', card: 'Markenkarte' },
  ),
  lastHour: both('The last hour', 'Die letzte Stunde'),
  playCount: plural(['1 play', '{n} plays'], ['1 Einblendung', '{n} Einblendungen']),
  interruptedCount: template('{n} interrupted', '{n} unterbrochen'),
  failedCount: template('{n} failed', '{n} Fehler'),
  countedFrom: template('counted from {time}', 'gezählt ab {time}'),
  startedAt: template('started {time}', 'gestartet {time}'),
  clockRight: both('same as the system clock', 'wie die Systemuhr'),
  clockAhead: template('{span} ahead of the system clock', '{span} vor der Systemuhr'),
  clockBehind: template('{span} behind the system clock', '{span} hinter der Systemuhr'),
  rejectedAds: template('{n} could not be read', '{n} nicht lesbar'),
  address: both('Network address', 'Netzadresse'),
  noAddress: both('None: not connected', 'Keine: nicht verbunden'),
  player: both('Player', 'Player'),
  versions: both('Versions', 'Versionen'),

  source: both('Source', 'Quelle'),
  flight: both('Flight', 'Flight'),
  campaign: both('Campaign', 'Kampagne'),
  everybody: both('everybody', 'alle'),
  genders: {
    female: both('women', 'Frauen'),
    male: both('men', 'Männer'),
    other: both('another gender', 'anderes Geschlecht'),
    unknown: both('gender unknown', 'Geschlecht unbekannt'),
  },
  weather: {
    'above 20 celsius': both('above 20 °C', 'über 20 °C'),
    'below 10 celsius': both('below 10 °C', 'unter 10 °C'),
    sunny: both('sunny', 'sonnig'),
    cloudy: both('cloudy', 'bewölkt'),
    rainy: both('rainy', 'regnerisch'),
    snow: both('snow', 'Schnee'),
  },
  nobody: both('nobody in particular', 'niemand Bestimmtes'),
  anyAge: both('any age', 'jedes Alter'),
  people: template('people {n}', 'Personen {n}'),
  basketWith: template('cart with {what}', 'Warenkorb mit {what}'),
  weatherIs: template('weather {what}', 'Wetter {what}'),
  unreadable: both(
    'a condition this version cannot read: matches nobody',
    'eine Bedingung, die diese Version nicht kennt: passt auf niemanden',
  ),
  or: both('or', 'oder'),
  and: both('and', 'und'),

  period: both('Period', 'Zeitraum'),
  spans: {
    today: both('Today', 'Heute'),
    yesterday: both('Yesterday', 'Gestern'),
    week: both('7 days', '7 Tage'),
    month: both('30 days', '30 Tage'),
    choose: both('Choose', 'Wählen'),
  },
  from: both('From', 'Von'),
  to: both('To', 'Bis'),
  dayBefore: both('A day earlier', 'Einen Tag früher'),
  dayAfter: both('A day later', 'Einen Tag später'),
  noFlight: both('Without a flight', 'Ohne Flight'),
  format: both('Format', 'Format'),
  formats: {
    csv: both('CSV for spreadsheets', 'CSV für Tabellen'),
    ndjson: both('NDJSON for programs', 'NDJSON für Programme'),
  },
  target: both('To', 'Wohin'),
  targets: both({ usb: 'USB drive', folder: 'Data folder' }, { usb: 'USB-Laufwerk', folder: 'Datenordner' }),
  noUsb: both(
    'No USB drive is mounted that can be written to. Plug one in, or ask the operator to have drives mounted.',
    'Kein USB-Laufwerk eingebunden, auf das sich schreiben lässt. Eines anschließen, oder der Betreiber muss Laufwerke einbinden lassen.',
  ),
  freeSpace: template('{size} free', '{size} frei'),
  startExport: both('Start export', 'Export starten'),
  exportRunning: both('Exporting', 'Export läuft'),
  exportRows: plural(
    ['1 play written', '{n} plays written'],
    ['1 Einblendung geschrieben', '{n} Einblendungen geschrieben'],
  ),
  exportGoesOn: both('It goes on when you close this.', 'Er läuft weiter, wenn dies geschlossen wird.'),
  exportFinished: both('Export finished', 'Export fertig'),
  exportFinishedWords: template(
    '{plays}, {size}, signed by this kiosk',
    '{plays}, {size}, von diesem Kiosk signiert',
  ),
  exportInterrupted: both('Export interrupted', 'Export unterbrochen'),
  exportInterruptions: {
    'target-gone': both(
      'The drive is gone. Plug it in again and start a new export.',
      'Das Laufwerk fehlt. Wieder anschließen und neu exportieren.',
    ),
    'no-space': both(
      'There is no room there. Choose another place and start a new export. In the data folder, “Clear media” makes room.',
      'Dort ist kein Platz mehr. Ein anderes Ziel wählen und neu exportieren. Im Datenordner schafft „Medien löschen“ Platz.',
    ),
    'not-writable': both(
      'Nothing can be written there. Choose another place and start a new export.',
      'Dorthin lässt sich nicht schreiben. Ein anderes Ziel wählen und neu exportieren.',
    ),
    books: both(
      'The stored plays could not be read. Start a new export in a moment.',
      'Die gespeicherten Einblendungen waren nicht zu lesen. Gleich neu exportieren.',
    ),
  },
  ejectHint: both('The drive can be taken out.', 'Das Laufwerk kann abgezogen werden.'),

  beaconStates: both(
    { open: 'Waiting', lost: 'Lost', unknown: 'Unknown', sent: 'Sent' },
    { open: 'Wartend', lost: 'Verloren', unknown: 'Unbekannt', sent: 'Gesendet' },
  ),

  onOff: both({ on: 'On', off: 'Off' }, { on: 'An', off: 'Aus' }),
  pauseAbout: both(
    'Shoppers see a card. The kiosk goes on by itself when the time is over.',
    'Kunden sehen einen Hinweis. Ist die Zeit um, geht es von selbst weiter.',
  ),
  minutes: template('{n} min', '{n} min'),
  hoursLong: plural(['1 hour', '{n} hours'], ['1 Stunde', '{n} Stunden']),
  displayAbout: both(
    'It stays on or off until the next change of its schedule; without a schedule, until it is switched again. When it is off, a touch turns it on for two minutes.',
    'Er bleibt an oder aus bis zur nächsten Umschaltzeit; ohne Zeitplan, bis er wieder umgeschaltet wird. Ist er aus, schaltet ihn eine Berührung für zwei Minuten ein.',
  ),
  displayByHours: both('By its schedule', 'Nach Zeitplan'),
  muted: both('Muted', 'Stumm'),
  asSet: both('As in the settings', 'Wie eingestellt'),
  /** What an action does that has to be confirmed. */
  sure: {
    'clear-media': both(
      'What plays now and next stays. Everything else has to be downloaded again.',
      'Was jetzt und danach läuft, bleibt. Alles andere muss neu geladen werden.',
    ),
    'restart-player': both(
      'The screen is dark for some seconds. Nothing that was counted is lost.',
      'Der Bildschirm ist einige Sekunden dunkel. Nichts Gezähltes geht verloren.',
    ),
    'restart-kiosk': both(
      'The machine starts over. It takes a minute or two.',
      'Das Gerät startet neu. Das dauert ein bis zwei Minuten.',
    ),
    leave: both(
      'No ads are shown until the player is started again.',
      'Bis der Player wieder gestartet wird, läuft keine Werbung.',
    ),
  },
  actionUnderWay: template('{name}: under way', '{name}: läuft'),
  actionDone: template('{name}: done', '{name}: erledigt'),
  actionFailed: template('{name}: failed', '{name}: fehlgeschlagen'),
  fileCount: plural(['1 file', '{n} files'], ['1 Datei', '{n} Dateien']),
  cleared: template('{files} cleared, {size} freed', '{files} gelöscht, {size} frei geworden'),
  testRunning: both('Testing the connection…', 'Die Verbindung wird getestet…'),
  testGood: both('The service answers.', 'Der Dienst antwortet.'),
  testBad: both('Something does not answer.', 'Etwas antwortet nicht.'),
  works: both('It works.', 'Es funktioniert.'),
  adCount: plural(['One ad.', '{n} ads.'], ['1 Anzeige.', '{n} Anzeigen.']),
  noAds: both('No ad for this kiosk just now.', 'Gerade keine Anzeige für diesen Kiosk.'),
  tested: template('{ms} ms', '{ms} ms'),
  waiting: both('waiting', 'wartet'),

  languageLabel: both('Language', 'Sprache'),
  autostartService: both(
    'A service of the system starts the kiosk. It is switched on and off in the system.',
    'Ein Dienst des Systems startet den Kiosk. Ein- und ausgeschaltet wird er im System.',
  ),
  managedByFile: both('Managed by a settings file', 'Von einer Einstellungsdatei bestimmt'),
  managedAbout: both(
    'These settings come from the operator’s settings file. They are shown here and can only be changed in that file.',
    'Diese Einstellungen stammen aus der Datei des Betreibers. Sie sind hier zu sehen und nur in der Datei zu ändern.',
  ),
  newPin: both('Choose a new PIN', 'Neue PIN wählen'),
  repeatPin: both('Enter it once more', 'Noch einmal eingeben'),
  pinsDiffer: both(
    'The two PINs differ. Choose again.',
    'Die beiden PINs sind verschieden. Bitte neu wählen.',
  ),
  pinRules: both(
    '4 to 12 digits; no sequence, no repeats, no year, no well-known PIN.',
    '4 bis 12 Ziffern; keine Reihe, keine Wiederholung, kein Jahr, keine bekannte PIN.',
  ),
};

/** The words that several pages use. */
export const wordsOf = pageWords(WORDS);
export type Words = ReturnType<typeof wordsOf>;

export const LANGUAGE_NAMES: Readonly<Record<OverlayLanguage, string>> = { en: 'English', de: 'Deutsch' };
