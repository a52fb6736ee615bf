import type { SetUpField } from '../../../shared/admin';
import { DEMO_PIN } from '../../../shared/staff';
import { both } from '../../translations';

type Fields = Readonly<Record<SetUpField, { readonly label: string; readonly hint: string }>>;

export const SET_UP_WORDS = {
  welcome: both('Welcome', 'Willkommen'),
  welcomeAbout: both(
    'This kiosk has no settings yet. You need what the operator gave you: addresses and credentials.',
    'Dieser Kiosk hat noch keine Einstellungen. Sie brauchen die Angaben des Betreibers: Adressen und Zugangsdaten.',
  ),
  tryDemo: both('Try the demo', 'Demo ausprobieren'),
  startDemo: both('Start demo', 'Demo starten'),
  demoAbout: both(
    `Demo ads from this kiosk itself, until the next start. Its plays are recorded as this kiosk's, and no settings are stored. Its staff PIN is ${DEMO_PIN}.`,
    `Demo-Werbung von diesem Kiosk selbst, bis zum nächsten Start. Einblendungen werden als die dieses Kiosks aufgezeichnet, Einstellungen nicht gespeichert. Die PIN für das Personal ist dabei ${DEMO_PIN}.`,
  ),
  advanced: both('Advanced: proxy and CA', 'Erweitert: Proxy und CA'),
  back: both('Back', 'Zurück'),
  runTest: both('Test the connection', 'Verbindung testen'),
  saveChanges: both('Save and restart player', 'Speichern und Player neu starten'),
  saved: both('Saved. The player starts over.', 'Gespeichert. Der Player startet neu.'),
  stored: both('Stored', 'Gespeichert'),
  showSecret: both('Show', 'Zeigen'),
  hideSecret: both('Hide', 'Verbergen'),
  required: both('Has to be filled in.', 'Muss ausgefüllt sein.'),
  badAddress: both(
    'No address that can be used. It begins with https://.',
    'Keine brauchbare Adresse. Sie beginnt mit https://.',
  ),
  badEntry: both('This cannot be used.', 'So geht das nicht.'),
  fields: both<Fields>(
    {
      baseUrl: { label: 'Service address', hint: 'Where ads come from, beginning with https://' },
      authUrl: { label: 'Sign-in address', hint: 'Leave empty if the service needs no sign-in' },
      nativeUrl: { label: 'Native ads address', hint: 'Leave empty if there are none' },
      clientId: { label: 'Client id', hint: 'From the operator’s credentials' },
      clientSecret: { label: 'Client secret', hint: 'Kept where only the kiosk can read it' },
      projectId: { label: 'Project', hint: 'The retailer’s project at the service' },
      playerId: { label: 'Player id', hint: 'Tells this kiosk from the others' },
      playerKey: { label: 'Retailer key', hint: 'Sent with every request for ads' },
      apptoken: { label: 'App token', hint: 'For native ads only' },
      zoneId: { label: 'Zone', hint: 'For native ads only' },
      proxyUrl: { label: 'Proxy', hint: 'http://host:port, or “system”; leave empty if there is none' },
      proxyUser: { label: 'Proxy user', hint: 'Leave empty if it asks for none' },
      proxyPassword: { label: 'Proxy password', hint: 'Kept where only the kiosk can read it' },
      caFile: {
        label: 'CA file',
        hint: 'Path of a PEM file such as /etc/endcap/ca.pem, for a proxy that inspects traffic',
      },
    },
    {
      baseUrl: { label: 'Adresse des Dienstes', hint: 'Woher die Werbung kommt, beginnt mit https://' },
      authUrl: { label: 'Adresse der Anmeldung', hint: 'Leer lassen, wenn der Dienst keine verlangt' },
      nativeUrl: { label: 'Adresse für native Anzeigen', hint: 'Leer lassen, wenn es keine gibt' },
      clientId: { label: 'Client-ID', hint: 'Aus den Zugangsdaten des Betreibers' },
      clientSecret: { label: 'Client-Secret', hint: 'Nur der Kiosk selbst kann es lesen' },
      projectId: { label: 'Projekt', hint: 'Das Projekt des Händlers beim Dienst' },
      playerId: { label: 'Player-ID', hint: 'Unterscheidet diesen Kiosk von den anderen' },
      playerKey: { label: 'Schlüssel des Händlers', hint: 'Geht mit jeder Anfrage nach Werbung' },
      apptoken: { label: 'App-Token', hint: 'Nur für native Anzeigen' },
      zoneId: { label: 'Zone', hint: 'Nur für native Anzeigen' },
      proxyUrl: { label: 'Proxy', hint: 'http://Host:Port oder „system“; leer lassen, wenn es keinen gibt' },
      proxyUser: { label: 'Proxy-Benutzer', hint: 'Leer lassen, wenn keiner verlangt wird' },
      proxyPassword: { label: 'Proxy-Passwort', hint: 'Bleibt dort, wo nur der Kiosk es lesen kann' },
      caFile: {
        label: 'CA-Datei',
        hint: 'Pfad einer PEM-Datei wie /etc/endcap/ca.pem, für einen Proxy, der mitliest',
      },
    },
  ),
};
