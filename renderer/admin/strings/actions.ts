import type { ActionName } from '../../../shared/admin';
import { both } from '../../translations';

type Actions = Readonly<Record<ActionName, { readonly name: string; readonly about: string }>>;

export const ACTIONS = both<Actions>(
  {
    pause: { name: 'Pause', about: 'For maintenance; shoppers see a card; ends by itself' },
    resume: { name: 'Resume playing', about: 'Ends the pause now' },
    skip: { name: 'Next ad', about: 'Closes these pages and goes on with the next ad' },
    refresh: { name: 'Refresh content', about: 'Asks the service for a new playlist' },
    sound: { name: 'Sound', about: 'Volume of videos' },
    display: { name: 'Display', about: 'On or off until the next change of its schedule' },
    'clear-media': { name: 'Clear media', about: 'Deletes stored files except what plays now and next' },
    'connection-test': { name: 'Connection test', about: 'Tests every part of the service; stores nothing' },
    'restart-player': { name: 'Restart player', about: 'Takes some seconds' },
    'restart-kiosk': { name: 'Restart kiosk', about: 'The whole machine; takes a minute or two' },
    leave: { name: 'Leave to desktop', about: 'Stops the player until somebody starts it again' },
    'change-pin': { name: 'Change PIN', about: 'All staff then need the new PIN' },
    'set-up': { name: 'Set-up', about: 'Service, credentials, player' },
    export: { name: 'Export proof of play', about: 'To a USB drive or the data folder' },
    autostart: {
      name: 'Start with the machine',
      about: 'Endcap starts when somebody signs in to the machine',
    },
  },
  {
    pause: { name: 'Pause', about: 'Für Wartung, mit Hinweis für Kunden; endet von selbst' },
    resume: { name: 'Pause beenden', about: 'Spielt sofort weiter' },
    skip: { name: 'Nächste Werbung', about: 'Schließt diese Seiten und spielt die nächste Werbung' },
    refresh: { name: 'Inhalte erneuern', about: 'Fragt den Dienst nach einer neuen Liste' },
    sound: { name: 'Ton', about: 'Lautstärke der Videos' },
    display: { name: 'Bildschirm', about: 'An oder aus bis zur nächsten Umschaltzeit' },
    'clear-media': { name: 'Medien löschen', about: 'Löscht alle Dateien, außer was jetzt und danach läuft' },
    'connection-test': {
      name: 'Verbindung testen',
      about: 'Fragt jeden Teil des Dienstes; speichert nichts',
    },
    'restart-player': { name: 'Player neu starten', about: 'Dauert einige Sekunden' },
    'restart-kiosk': { name: 'Kiosk neu starten', about: 'Das ganze Gerät; dauert ein bis zwei Minuten' },
    leave: { name: 'Zum Desktop', about: 'Beendet den Player bis zum nächsten Start' },
    'change-pin': { name: 'PIN ändern', about: 'Das Personal braucht dann die neue PIN' },
    'set-up': { name: 'Einrichtung', about: 'Dienst, Zugangsdaten, Player' },
    autostart: { name: 'Mit dem Gerät starten', about: 'Endcap startet, wenn sich jemand am Gerät anmeldet' },
    export: { name: 'Nachweis exportieren', about: 'Auf USB-Laufwerk oder in den Datenordner' },
  },
);
