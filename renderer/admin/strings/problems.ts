import { both, byCode } from '../../translations';

const problem = (what: string, todo: string, deWhat: string, deTodo: string) =>
  both({ what, todo }, { what: deWhat, todo: deTodo });

/**
 * What is wrong and what to do about it, by the codes of errors; errors with which staff do the same share their words.
 * The program's message in English, which is shown below, says exactly what happened.
 */
export const PROBLEMS = byCode({
  'books-failing': problem(
    'The kiosk cannot record what plays, so no ad may play.',
    'Restart the kiosk. If it comes back, its disk has to be checked.',
    'Der Kiosk kann nicht aufzeichnen, was läuft; darum darf keine Werbung laufen.',
    'Den Kiosk neu starten. Kommt es wieder, muss sich jemand seine Platte ansehen.',
  ),
  'snapshot-unread': problem(
    'The snapshot of the records cannot be read. If the records are lost now, caps are exceeded.',
    'Restart the kiosk. If it comes back, its disk has to be checked.',
    'Die Sicherung der Aufzeichnungen ist nicht lesbar. Gingen sie jetzt verloren, würden Limits überschritten.',
    'Den Kiosk neu starten. Kommt es wieder, muss sich jemand seine Platte ansehen.',
  ),
  'books-started-anew': problem(
    'The kiosk counts from zero, because it could not tell which of its records belong to these settings.',
    'If the service, project or player is new, there is nothing to do. Otherwise tell the operator: caps count from now on.',
    'Der Kiosk zählt von vorn, weil nicht zu erkennen war, welche Aufzeichnungen zu diesen Einstellungen gehören.',
    'Sind Dienst, Projekt oder Player neu, ist nichts zu tun. Sonst dem Betreiber melden: Limits zählen ab jetzt.',
  ),
  'settings-unusable': problem(
    'The settings file cannot be used any more.',
    'The settings of the last start stay in force. Correct the file, or undo the last change. Do not restart before: the kiosk could not start again.',
    'Die Einstellungsdatei ist nicht mehr brauchbar.',
    'Die Einstellungen des letzten Starts gelten weiter. Die Datei berichtigen oder die letzte Änderung zurücknehmen. Vorher nicht neu starten: Der Kiosk könnte nicht wieder starten.',
  ),
  'remote-settings-set-aside': problem(
    'The settings that the fleet’s operator sent cannot be used on this kiosk and are not in force.',
    'Tell the operator: the kiosk uses its own settings file until the operator sends new settings.',
    'Die Einstellungen, die der Betreiber der Flotte gesendet hat, passen nicht zu diesem Kiosk und gelten nicht.',
    'Dem Betreiber sagen: Der Kiosk nutzt seine eigene Einstellungsdatei, bis neue Einstellungen kommen.',
  ),
  'unknown-cap-window': problem(
    'Ads have caps that this version does not know. These caps count over the whole flight.',
    'Tell the operator: Endcap has to be updated, or the service has to say what the cap means.',
    'Werbung hat Limits, die diese Version nicht kennt. Sie zählen über den ganzen Flight.',
    'Dem Betreiber sagen: Endcap braucht ein Update, oder der Dienst muss sagen, was das Limit bedeutet.',
  ),
  'update-taken-back': problem(
    'An update did not play and was taken back. The version before it plays.',
    'Tell the operator: the kiosk waits for a newer version.',
    'Ein Update lief nicht und wurde zurückgenommen. Es läuft die Version davor.',
    'Dem Betreiber sagen: Der Kiosk wartet auf eine neuere Version.',
  ),
  'safe-start': problem(
    'The kiosk ended unexpectedly several times in a row. It plays stored ads without network.',
    'Wait: after ten minutes it uses the network again by itself. If this comes back, send the log to support.',
    'Der Kiosk hat sich mehrmals nacheinander unerwartet beendet. Er zeigt gespeicherte Werbung, ohne Netz.',
    'Warten: Nach zehn Minuten geht er von selbst wieder ins Netz. Kommt es wieder, das Protokoll an den Support geben.',
  ),
  'proof-set-aside proof-waiting': problem(
    'Proof of play does not reach its receiver, or is rejected there.',
    'Check the network. If ads arrive, tell the operator: nothing is lost, and the kiosk sends it again.',
    'Der Abspielnachweis erreicht seinen Empfänger nicht oder wird dort abgelehnt.',
    'Das Netz prüfen. Kommt Werbung an, dem Betreiber sagen: Es ist nichts verloren, und der Kiosk sendet noch einmal.',
  ),
  'proof-dropped': problem(
    'Plays were deleted before their proof could be sent.',
    'Check the network. If ads arrive, tell the operator: more plays will be lost until the receiver takes them.',
    'Einblendungen wurden gelöscht, bevor ihr Nachweis gesendet werden konnte.',
    'Das Netz prüfen. Kommt Werbung an, dem Betreiber sagen: Es gehen weitere verloren, bis der Empfänger sie annimmt.',
  ),
  'fleet-link': problem(
    'The live link to the operator does not work.',
    'Check the network. If ads arrive, tell the operator: the kiosk goes on playing, but takes no commands.',
    'Die Fernverbindung zum Betreiber funktioniert nicht.',
    'Das Netz prüfen. Kommt Werbung an, dem Betreiber sagen: Der Kiosk spielt weiter, nimmt aber keine Befehle an.',
  ),
  'fleet-refused': problem(
    'The operator does not get all that this kiosk reports.',
    'Tell the operator: the broker refuses messages of this kiosk. It goes on playing, and takes commands.',
    'Der Betreiber bekommt nicht alles, was dieser Kiosk meldet.',
    'Dem Betreiber sagen: Der Broker lehnt Nachrichten dieses Kiosks ab. Er spielt weiter und nimmt Befehle an.',
  ),
  'fleet-blocks': problem(
    'The operator’s blocks are signed with a key that this kiosk does not know. It may show what is blocked.',
    'Tell the operator: sign the blocks anew, or add the key to the settings of this kiosk.',
    'Die Sperren des Betreibers sind mit einem Schlüssel signiert, den dieser Kiosk nicht kennt. Er zeigt vielleicht Gesperrtes.',
    'Dem Betreiber sagen: Die Sperren neu signieren oder den Schlüssel in die Einstellungen dieses Kiosks aufnehmen.',
  ),
  'new-key-other-machine': problem(
    'The kiosk has a new key: its disk ran on another machine before.',
    'If that machine runs no longer, export its plays here now: this kiosk does not send them. Tell the operator the new key.',
    'Der Kiosk hat einen neuen Schlüssel: Seine Festplatte lief vorher in einem anderen Gerät.',
    'Läuft jenes Gerät nicht mehr, seine Einblendungen jetzt hier exportieren: Dieser Kiosk sendet sie nicht. Dem Betreiber den neuen Schlüssel nennen.',
  ),
  'new-key-other-system': problem(
    'The kiosk has a new key: the system of this machine was installed anew.',
    'Export the plays of before here now: this kiosk does not send them. Tell the operator the new key.',
    'Der Kiosk hat einen neuen Schlüssel: Das System dieses Geräts wurde neu installiert.',
    'Die früheren Einblendungen jetzt hier exportieren: Dieser Kiosk sendet sie nicht. Dem Betreiber den neuen Schlüssel nennen.',
  ),
  'new-key-key-lost': problem(
    'The kiosk has a new key: the one before was lost.',
    'Tell the operator: exports and proof of play are signed with the new key.',
    'Der Kiosk hat einen neuen Schlüssel: Der vorige ging verloren.',
    'Dem Betreiber sagen: Exporte und Nachweise sind jetzt mit dem neuen Schlüssel signiert.',
  ),
  'system-clock-wrong': problem(
    'The clock of this machine is wrong, so the service cannot be reached.',
    'Set the date and the time of the machine. If it forgets them when it is off, its battery has to be changed.',
    'Die Uhr dieses Rechners geht falsch; darum ist der Dienst nicht zu erreichen.',
    'Datum und Uhrzeit des Rechners stellen. Vergisst er sie, wenn er aus ist, muss seine Batterie getauscht werden.',
  ),
  'unreachable-name': problem(
    'The address cannot be found.',
    'Check the network cable or Wi-Fi, and the spelling of the address.',
    'Die Adresse ist nicht zu finden.',
    'Netzwerkkabel oder WLAN prüfen, und wie die Adresse geschrieben ist.',
  ),
  'unreachable-connection': problem(
    'No connection.',
    'Check the network cable or Wi-Fi, the store’s firewall and the address.',
    'Keine Verbindung.',
    'Netzwerkkabel oder WLAN prüfen, die Firewall des Marktes und die Adresse.',
  ),
  'proxy-unreachable proxy-refused': problem(
    'The store’s proxy cannot be used, does not allow this address, or does not reach it either.',
    'Check the network cable or Wi-Fi, and the proxy’s address in the settings; otherwise ask whoever runs the network.',
    'Der Proxy des Marktes ist nicht zu benutzen, lässt diese Adresse nicht zu oder erreicht sie selbst nicht.',
    'Netzwerkkabel oder WLAN prüfen und die Adresse des Proxys in den Einstellungen; sonst fragen, wer das Netz betreut.',
  ),
  'proxy-auth': problem(
    'The store’s proxy does not accept the user and password.',
    'The operator has to check both in the settings of the proxy.',
    'Der Proxy des Marktes nimmt Benutzer und Passwort nicht an.',
    'Der Betreiber muss beide in den Einstellungen des Proxys prüfen.',
  ),
  'unknown-ca': problem(
    'The certificate was issued by somebody this kiosk does not know.',
    'Usually a proxy of the store inspects traffic: the operator has to add its CA to the settings.',
    'Das Zertifikat hat jemand ausgestellt, den dieser Kiosk nicht kennt.',
    'Meist prüft ein Proxy des Marktes den Verkehr: Der Betreiber muss dessen CA in die Einstellungen aufnehmen.',
  ),
  'certificate-name tls': problem(
    'The other side could not prove who it is.',
    'Check the address; otherwise ask whoever runs the network.',
    'Die Gegenstelle konnte sich nicht ausweisen.',
    'Die Adresse prüfen; sonst fragen, wer das Netz betreut.',
  ),
  'client-certificate': problem(
    'The other side refuses the certificate of this kiosk, or wants one.',
    'The operator has to check the client certificate in the settings.',
    'Die Gegenstelle nimmt das Zertifikat dieses Kiosks nicht an, oder sie will eines sehen.',
    'Der Betreiber muss das Client-Zertifikat in den Einstellungen prüfen.',
  ),
  'certificate-ends': problem(
    'The certificate of this kiosk ends soon, or has ended.',
    'The operator has to put a new client certificate on this kiosk.',
    'Das Zertifikat dieses Kiosks läuft bald ab oder ist abgelaufen.',
    'Der Betreiber muss ein neues Client-Zertifikat auf diesen Kiosk bringen.',
  ),
  'certificate-date': problem(
    'The certificate of the other side is out of date, or not valid yet.',
    'Check the date and time of this kiosk. If they are right, tell the operator.',
    'Das Zertifikat der Gegenstelle ist abgelaufen oder noch nicht gültig.',
    'Datum und Uhrzeit dieses Kiosks prüfen. Stimmen sie, dem Betreiber melden.',
  ),
  'pages-do-not-trust-ca': problem(
    'Native ads and linked pages do not trust the store’s CA, so they may stay empty.',
    'The operator has to do what is said below, and restart the kiosk.',
    'Native Anzeigen und verlinkte Seiten vertrauen der CA des Marktes nicht und bleiben vielleicht leer.',
    'Der Betreiber muss tun, was unten steht, und den Kiosk neu starten.',
  ),
  'timeout rate-limited server-error truncated empty cancelled': problem(
    'The service did not answer in time, or not as it should.',
    'It is tried again by itself. If this continues, check the network and the store’s firewall, and tell the operator.',
    'Der Dienst hat nicht rechtzeitig oder nicht richtig geantwortet.',
    'Es wird von selbst wieder versucht. Bleibt es so, das Netz und die Firewall des Marktes prüfen und dem Betreiber melden.',
  ),
  'insecure-address': problem(
    'The service was not asked, because credentials would have been sent unencrypted.',
    'Change the address in the settings so that it begins with https://.',
    'Der Dienst wurde nicht gefragt, weil Zugangsdaten unverschlüsselt gesendet worden wären.',
    'Die Adresse in den Einstellungen muss mit https:// beginnen.',
  ),
  'redirect not-found': problem(
    'The service is not at this address.',
    'Check the address in the settings.',
    'Unter dieser Adresse ist der Dienst nicht.',
    'Die Adresse in den Einstellungen prüfen.',
  ),
  'unexpected-status refused': problem(
    'The service does not take the request as it is.',
    'Compare player id, retailer key and, for native ads, zone and app token with what the operator gave you; otherwise tell the operator.',
    'Der Dienst nimmt die Anfrage so nicht an.',
    'Player-ID, Schlüssel und für native Anzeigen Zone und App-Token mit den Angaben des Betreibers vergleichen; sonst dem Betreiber melden.',
  ),
  'too-large malformed not-xml not-json': problem(
    'The answer of the service cannot be used.',
    'Check the address; otherwise tell the operator. What was stored before stays in use.',
    'Die Antwort des Dienstes ist nicht zu gebrauchen.',
    'Die Adresse prüfen; sonst dem Betreiber melden. Was schon gespeichert war, läuft weiter.',
  ),
  'wrong-secret': problem(
    'The client id or secret is not accepted.',
    'Compare both with what the operator gave you, character by character.',
    'Client-ID oder Client-Secret werden nicht angenommen.',
    'Beides Zeichen für Zeichen mit den Zugangsdaten des Betreibers vergleichen.',
  ),
  'unauthorized tokens-refused': problem(
    'The sign-in is not accepted by the service.',
    'Check that service and sign-in address belong together.',
    'Der Dienst nimmt die Anmeldung nicht an.',
    'Prüfen, ob die Adressen von Dienst und Anmeldung zusammengehören.',
  ),
  forbidden: problem(
    'The service does not allow this request.',
    'Compare project, player id and retailer key with what the operator gave you; otherwise the operator has to allow it.',
    'Der Dienst erlaubt diese Anfrage nicht.',
    'Projekt, Player-ID und Schlüssel mit den Angaben des Betreibers vergleichen; sonst muss der Betreiber es erlauben.',
  ),
  'wrong-project': problem(
    'This account may not use the project, or the service does not know it.',
    'Compare the project with what the operator gave you; otherwise the operator has to allow it.',
    'Dieses Konto darf das Projekt nicht benutzen, oder der Dienst kennt es nicht.',
    'Das Projekt mit den Angaben des Betreibers vergleichen; sonst muss der Betreiber es erlauben.',
  ),
  'web-page': problem(
    'A web page came instead of an answer.',
    'The network probably wants somebody to log in, or blocks this address. Exempt the kiosk from its log-in page and its filter.',
    'Statt einer Antwort kam eine Webseite.',
    'Wahrscheinlich will das Netz eine Anmeldung oder sperrt diese Adresse. Den Kiosk von Anmeldeseite und Filter ausnehmen.',
  ),
  'not-stored': problem(
    'The answer could not be stored.',
    'The disk of this kiosk has to be checked. It is tried again by itself.',
    'Die Antwort ließ sich nicht speichern.',
    'Jemand muss sich die Platte dieses Kiosks ansehen. Es wird von selbst wieder versucht.',
  ),
  'not-tried': problem(
    'Not tried: this step needs a sign-in that works.',
    'Correct the sign-in first, then test again.',
    'Nicht versucht: Dieser Schritt braucht eine Anmeldung, die funktioniert.',
    'Zuerst die Anmeldung berichtigen, dann noch einmal testen.',
  ),
  'no-reboot': problem(
    'The computer could not be restarted.',
    'Turn it off and on again with the power switch.',
    'Das Gerät ließ sich nicht neu starten.',
    'Am Netzschalter aus- und wieder einschalten.',
  ),
  'display-not-switched': problem(
    'The display could not be switched.',
    'Use its own button, and tell the operator.',
    'Der Bildschirm ließ sich nicht schalten.',
    'Seinen eigenen Knopf benutzen und dem Betreiber melden.',
  ),
  'graphics-hardware-crashed': problem(
    'The graphics hardware crashed several times. The kiosk draws without it, and videos may stutter.',
    'Wait: a day later the kiosk restarts and tries it again. If this comes back, tell the operator.',
    'Die Grafikhardware ist mehrmals abgestürzt. Der Kiosk zeichnet ohne sie; Videos können ruckeln.',
    'Warten: Einen Tag später startet der Kiosk neu und versucht es wieder. Kommt es wieder, dem Betreiber melden.',
  ),
  'house-folder': problem(
    'The folder of house creatives cannot be read. What was copied from it is still shown.',
    'Plug in its drive, or check the network. If neither helps, tell the operator.',
    'Der Ordner der Eigenwerbung ist nicht lesbar. Was daraus kopiert wurde, läuft weiter.',
    'Sein Laufwerk anschließen oder das Netz prüfen. Hilft beides nicht, dem Betreiber melden.',
  ),
  'autostart-refused': problem(
    'The machine’s system did not accept the setting.',
    'Switch it in the settings of the system.',
    'Das System des Geräts hat die Einstellung nicht angenommen.',
    'In den Einstellungen des Systems umschalten.',
  ),
  // A call of the overlay was refused, or its answer breaks the contract.
  'failed invalid unknown-command malformed-answer': problem(
    'That did not work.',
    'Try again. If this continues, restart the player.',
    'Das hat nicht geklappt.',
    'Noch einmal versuchen. Bleibt es so, den Player neu starten.',
  ),
  locked: problem(
    'This is locked.',
    'Enter the PIN again.',
    'Das ist gesperrt.',
    'Bitte die PIN erneut eingeben.',
  ),
  'not-here': problem(
    'This is not available on this kiosk.',
    'There is nothing to do.',
    'Das ist an diesem Kiosk nicht verfügbar.',
    'Es ist nichts zu tun.',
  ),
  managed: problem(
    'An operator’s settings file decides this.',
    'It can only be changed in that file.',
    'Darüber entscheidet die Einstellungsdatei des Betreibers.',
    'Es lässt sich nur in dieser Datei ändern.',
  ),
  busy: problem(
    'This is already running.',
    'Wait until it has ended.',
    'Das läuft gerade schon.',
    'Bitte warten, bis es zu Ende ist.',
  ),
  'no-target': problem(
    'The drive is not there.',
    'Plug it in and try again.',
    'Das Laufwerk ist nicht da.',
    'Anschließen und noch einmal versuchen.',
  ),
  late: problem(
    'The kiosk has not answered yet.',
    'Wait a moment, or try again.',
    'Der Kiosk hat noch nicht geantwortet.',
    'Einen Moment warten oder noch einmal versuchen.',
  ),
  'no-home': problem(
    'The kiosk does not report its state.',
    'It is asked again by itself. Meanwhile its last known state is shown. If this stays, restart the player.',
    'Der Kiosk meldet seinen Zustand nicht.',
    'Er wird von selbst wieder gefragt. So lange ist der letzte bekannte Stand zu sehen. Bleibt es so, den Player neu starten.',
  ),
});
