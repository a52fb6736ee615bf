import type { Sentences } from './english';

export const GERMAN: Sentences = {
  actions: {
    pause: { name: 'Pause', about: 'Für Wartung, mit Hinweis für Kunden; endet von selbst' },
    resume: { name: 'Pause beenden', about: 'Spielt sofort weiter' },
    skip: { name: 'Nächste Werbung', about: 'Überspringt, was jetzt käme' },
    refresh: { name: 'Inhalte erneuern', about: 'Fragt den Dienst nach einer neuen Liste' },
    sound: { name: 'Ton', about: 'Lautstärke der Videos' },
    display: { name: 'Bildschirm', about: 'An oder aus, bis seine Zeiten wechseln' },
    'clear-media': { name: 'Medien löschen', about: 'Nie, was läuft; der Rest wird neu geladen' },
    'connection-test': {
      name: 'Verbindung testen',
      about: 'Fragt jeden Teil des Dienstes; speichert nichts',
    },
    'restart-player': { name: 'Player neu starten', about: 'Dauert einige Sekunden' },
    'restart-kiosk': { name: 'Kiosk neu starten', about: 'Das ganze Gerät; dauert ein bis zwei Minuten' },
    leave: { name: 'Zum Desktop', about: 'Beendet den Player bis zum nächsten Start' },
    'change-pin': { name: 'PIN ändern', about: 'Alle hier brauchen dann die neue' },
    'set-up': { name: 'Einrichtung', about: 'Dienst, Zugangsdaten, Player' },
    autostart: { name: 'Mit dem Gerät starten', about: 'Startet von selbst, wenn sich jemand anmeldet' },
    export: { name: 'Nachweis exportieren', about: 'Auf USB-Laufwerk oder in den Datenordner' },
  },
  problems: {
    'books-failing': {
      what: 'Die Aufzeichnungen lassen sich nicht schreiben; darum darf keine Werbung laufen.',
      todo: 'Den Kiosk neu starten. Kommt es wieder, muss sich jemand seine Platte ansehen.',
    },
    'books-started-anew': {
      what: 'Neue Bücher wurden begonnen: Welche der vorhandenen zu diesen Einstellungen gehören, war nicht zu erkennen.',
      todo: 'Sind Dienst, Projekt oder Player neu, ist nichts zu tun. Sonst dem Betreiber melden: Obergrenzen zählen ab jetzt.',
    },
    'settings-unusable': {
      what: 'Die Einstellungsdatei ist nicht mehr brauchbar.',
      todo: 'Was sie beim Start sagte, gilt weiter. Die Datei berichtigen oder die letzte Änderung zurücknehmen.',
    },
    'remote-settings-set-aside': {
      what: 'Die Einstellungen, die der Betreiber der Flotte gesendet hat, passen nicht zu diesem Kiosk und gelten nicht.',
      todo: 'Dem Betreiber sagen: Der Kiosk läuft nach seiner eigenen Datei, bis andere kommen.',
    },
    'safe-start': {
      what: 'Der Kiosk endete dreimal in einer Minute unerwartet. Er zeigt gespeicherte Werbung, ohne Netz.',
      todo: 'Warten: Nach zehn Minuten geht er von selbst wieder ins Netz. Kommt es wieder, das Protokoll an den Support geben.',
    },
    'proof-set-aside': {
      what: 'Der Empfänger der Nachweise lehnt einen Teil davon ab.',
      todo: 'Dem Betreiber sagen: Diese Einblendungen bleiben gespeichert und werden täglich noch einmal gesendet.',
    },
    'proof-waiting': {
      what: 'Seit mehr als einem Tag hat kein Nachweis den Kiosk verlassen.',
      todo: 'Das Netz prüfen. Kommt Werbung an, dem Betreiber sagen: Verloren ist nichts, aber der Empfänger nimmt nichts an.',
    },
    'fleet-link': {
      what: 'Die Fernverbindung zum Betreiber besteht seit einer Stunde nicht.',
      todo: 'Das Netz prüfen. Kommt Werbung an, dem Betreiber sagen: Der Kiosk spielt weiter, nimmt aber keine Befehle an.',
    },
    'new-key-other-machine': {
      what: 'Diese Festplatte lief vorher in einem anderen Gerät. Der Kiosk hat jetzt einen eigenen Schlüssel.',
      todo: 'Dem Betreiber sagen. Nachweise des anderen Geräts sendet jenes Gerät.',
    },
    'new-key-key-lost': {
      what: 'Der Schlüssel dieses Kiosks ging verloren. Er hat einen neuen.',
      todo: 'Dem Betreiber sagen: Exporte und Nachweise tragen jetzt die Unterschrift des neuen Schlüssels.',
    },
    'system-clock-wrong': {
      what: 'Die Uhr dieses Rechners geht falsch; darum ist der Dienst nicht zu erreichen.',
      todo: 'Datum und Uhrzeit des Rechners stellen. Vergisst er sie, wenn er aus ist, muss seine Batterie getauscht werden.',
    },
    'unreachable-name': {
      what: 'Die Adresse ist nicht zu finden.',
      todo: 'Netzwerkkabel oder WLAN prüfen, und wie die Adresse geschrieben ist.',
    },
    'unreachable-connection': {
      what: 'Keine Verbindung.',
      todo: 'Netzwerkkabel oder WLAN prüfen, die Firewall des Marktes und die Adresse.',
    },
    'proxy-unreachable': {
      what: 'Der Proxy des Marktes ist nicht zu benutzen.',
      todo: 'Netzwerkkabel oder WLAN prüfen und die Adresse des Proxys in den Einstellungen; sonst fragen, wer das Netz betreut.',
    },
    'proxy-auth': {
      what: 'Der Proxy des Marktes nimmt Benutzer und Passwort nicht an.',
      todo: 'Der Betreiber muss beide in den Einstellungen des Proxys prüfen.',
    },
    'proxy-refused': {
      what: 'Der Proxy des Marktes führt nicht dorthin.',
      todo: 'Wer das Netz betreut, muss dem Kiosk diese Adresse erlauben.',
    },
    'unknown-ca': {
      what: 'Das Zertifikat hat jemand ausgestellt, den dieser Kiosk nicht kennt.',
      todo: 'Meist prüft ein Proxy des Marktes den Verkehr: Der Betreiber muss dessen CA in die Einstellungen aufnehmen.',
    },
    'certificate-date': {
      what: 'Das Zertifikat der Gegenstelle ist abgelaufen oder noch nicht gültig.',
      todo: 'Datum und Uhrzeit dieses Kiosks prüfen. Stimmen sie, dem Betreiber melden.',
    },
    'certificate-name': {
      what: 'Die Gegenstelle zeigt das Zertifikat eines anderen Servers.',
      todo: 'Die Adresse prüfen; sonst fragen, wer das Netz betreut.',
    },
    'pages-do-not-trust-ca': {
      what: 'Native Anzeigen und verlinkte Seiten vertrauen der CA des Marktes nicht und bleiben vielleicht leer.',
      todo: 'Der Betreiber muss certutil installieren (Paket libnss3-tools) und den Kiosk neu starten.',
    },
    tls: {
      what: 'Die Gegenstelle konnte sich nicht ausweisen.',
      todo: 'Fragen, wer das Netz betreut.',
    },
    timeout: {
      what: 'Keine Antwort in der Zeit.',
      todo: 'Das Netz ist vielleicht langsam. Es wird von selbst wieder versucht.',
    },
    cancelled: { what: 'Es wurde abgebrochen.', todo: 'Noch einmal versuchen.' },
    'insecure-address': {
      what: 'Nicht versucht: ein Geheimnis wäre unverschlüsselt hinausgegangen.',
      todo: 'Die Adresse muss mit https:// beginnen.',
    },
    redirect: {
      what: 'Die Adresse führt zu einer anderen weiter.',
      todo: 'Die endgültige Adresse in die Einstellungen eintragen.',
    },
    'too-large': { what: 'Die Antwort ist zu groß.', todo: 'Dem Betreiber melden.' },
    truncated: {
      what: 'Die Antwort brach mittendrin ab.',
      todo: 'Meist liegt es am Netz. Es wird von selbst wieder versucht.',
    },
    'wrong-secret': {
      what: 'Client-ID oder Client-Secret werden nicht angenommen.',
      todo: 'Beides Zeichen für Zeichen mit den Zugangsdaten des Betreibers vergleichen.',
    },
    unauthorized: {
      what: 'Die Anmeldung gilt hier nicht.',
      todo: 'Prüfen, ob die Adressen von Dienst und Anmeldung zusammengehören.',
    },
    forbidden: {
      what: 'Dieses Konto darf das Projekt nicht benutzen.',
      todo: 'Das Projekt prüfen; sonst muss der Betreiber es erlauben.',
    },
    'wrong-project': {
      what: 'Der Dienst kennt dieses Projekt nicht.',
      todo: 'Das Projekt Zeichen für Zeichen mit den Angaben des Betreibers vergleichen.',
    },
    'not-found': { what: 'Unter dieser Adresse gibt es nichts.', todo: 'Die Adresse prüfen.' },
    'rate-limited': { what: 'Zu viele Anfragen.', todo: 'Etwas warten. Es wird von selbst wieder versucht.' },
    'server-error': {
      what: 'Der Dienst selbst hat eine Störung.',
      todo: 'Es wird von selbst wieder versucht. Bleibt es, dem Betreiber melden.',
    },
    'unexpected-status': {
      what: 'Die Anfrage wurde nicht angenommen.',
      todo: 'Der Betreiber muss die Parameter in den Einstellungen prüfen.',
    },
    'web-page': {
      what: 'Statt einer Antwort kam eine Webseite.',
      todo: 'Wahrscheinlich will das Netz eine Anmeldung: den Kiosk durchlassen.',
    },
    'not-xml': {
      what: 'Die Antwort ist keine Liste.',
      todo: 'Die Adresse prüfen; sonst dem Betreiber melden.',
    },
    'not-json': {
      what: 'Die Antwort ergibt keinen Sinn.',
      todo: 'Die Adresse prüfen; sonst dem Betreiber melden.',
    },
    empty: {
      what: 'Die Antwort ist leer.',
      todo: 'Es wird von selbst wieder versucht. Bleibt es, dem Betreiber melden.',
    },
    malformed: {
      what: 'Die Antwort ist nicht lesbar.',
      todo: 'Dem Betreiber melden. Was schon gespeichert war, läuft weiter.',
    },
    'not-stored': {
      what: 'Die Antwort ließ sich nicht speichern.',
      todo: 'Jemand muss sich die Platte dieses Kiosks ansehen. Es wird von selbst wieder versucht.',
    },
    refused: { what: 'Der Dienst meldet einen Fehler.', todo: 'Dem Betreiber melden, was darunter steht.' },
    'not-tried': {
      what: 'Nicht versucht: es braucht die Anmeldung.',
      todo: 'Erst muss die Anmeldung gehen.',
    },
    'no-reboot': {
      what: 'Das Gerät ließ sich nicht neu starten.',
      todo: 'Am Netzschalter aus- und wieder einschalten.',
    },
    'display-not-switched': {
      what: 'Der Bildschirm ließ sich nicht schalten.',
      todo: 'Seinen eigenen Knopf benutzen und dem Betreiber melden.',
    },
    'autostart-refused': { what: 'Das System nahm es nicht an.', todo: 'Im System selbst einstellen.' },
  },
  fields: {
    baseUrl: { label: 'Adresse des Dienstes', hint: 'Woher die Werbung kommt, beginnt mit https://' },
    authUrl: { label: 'Adresse der Anmeldung', hint: 'Wo der Kiosk sein Token bekommt' },
    nativeUrl: { label: 'Adresse für native Anzeigen', hint: 'Leer lassen, wenn es keine gibt' },
    authentication: { label: 'Anmeldung', hint: '' },
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
    caFile: { label: 'CA-Datei', hint: 'Pfad einer PEM-Datei, für einen Proxy, der mitliest' },
  },
};
