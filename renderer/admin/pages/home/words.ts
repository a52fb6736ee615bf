import { both, pageWords, template } from '../../../translations';

export const wordsOf = pageWords({
  name: both('Home', 'Übersicht'),
  since: template('since {time}', 'seit {time}'),
  next: both('Next', 'Danach'),
  nothingNow: both('Nothing', 'Nichts'),
  noNetworkSince: template('no network since {time}', 'kein Netz seit {time}'),
  noAnswerYet: both('the service has not answered yet', 'der Dienst hat noch nicht geantwortet'),
  stateAdvice: {
    starting: both('The first ad comes in a moment.', 'Die erste Werbung kommt gleich.'),
    'no-content': both(
      'No ad may play now. “Why this ad?” says why.',
      'Jetzt darf nichts laufen. „Warum diese Werbung?“ sagt, warum.',
    ),
    paused: both('Shoppers see a card.', 'Kunden sehen einen Hinweis.'),
    closed: both('It is outside opening hours.', 'Außerhalb der Öffnungszeiten.'),
    held: both('Ads are held back.', 'Werbung wird zurückgehalten.'),
  },
  pausedUntil: template('until {time}', 'bis {time}'),
  likely: both('Suggested actions', 'Vorgeschlagene Aktionen'),
  lastContact: both('Last contact', 'Letzter Kontakt'),
  clock: both('Clock', 'Uhr'),
  clockUntrusted: both('not confirmed by the service yet', 'vom Dienst noch nicht bestätigt'),
  playlist: both('Playlist', 'Liste'),
  playlistLine: template('{eligible} of {ads} ads may play', '{eligible} von {ads} dürfen laufen'),
  noPlaylist: both('None received yet', 'Noch keine erhalten'),
  received: template('received {ago}', 'erhalten {ago}'),
  storage: both('Media', 'Medien'),
  storageLine: template('{used} of {quota}', '{used} von {quota}'),
  display: both('Display', 'Bildschirm'),
  displayPower: {
    on: both('on', 'an'),
    off: both('off', 'aus'),
    unknown: both('not known', 'nicht bekannt'),
  },
  displayUntil: template('{power} until {time}', '{power} bis {time}'),
  displayBy: {
    hours: both('by its schedule', 'nach Zeitplan'),
    switch: both('switched by staff or remotely', 'von Hand oder aus der Ferne geschaltet'),
    touch: both('because somebody touched it', 'weil ihn jemand berührt hat'),
  },
  displayFailing: both('could not be switched', 'ließ sich nicht schalten'),
  proof: both('Proof of play', 'Abspielnachweis'),
  proofUnknown: both('an unknown number', 'unbekannt viele'),
  proofLine: both(
    (waiting: string, time: string | null) =>
      time === null ? `${waiting} waiting, none sent yet` : `${waiting} waiting, last sent ${time}`,
    (waiting, time) =>
      time === null
        ? `${waiting} warten, noch nichts gesendet`
        : `${waiting} warten, zuletzt gesendet ${time}`,
  ),
  segmentsSetAside: both(
    (n: string) => (n === '1' ? '1 segment refused' : `${n} segments refused`),
    (n) => (n === '1' ? '1 Segment abgelehnt' : `${n} Segmente abgelehnt`),
  ),
  link: both('Live link', 'Fernverbindung'),
  linkConnected: template('connected since {time}', 'verbunden seit {time}'),
  linkLost: template('not connected since {time}', 'nicht verbunden seit {time}'),
  linkAdvice: both(
    {
      refused: 'The broker refuses this kiosk: tell the operator.',
      tls: 'Its certificate is not trusted: check the clock, then tell the operator.',
      proxy: 'The store’s proxy blocks the connection: tell the operator.',
      other: 'Check the network. The kiosk goes on playing.',
    },
    {
      refused: 'Der Broker lehnt diesen Kiosk ab: dem Betreiber sagen.',
      tls: 'Seinem Zertifikat wird nicht vertraut: Uhr prüfen, dann dem Betreiber sagen.',
      proxy: 'Der Proxy des Marktes blockiert die Verbindung: dem Betreiber sagen.',
      other: 'Das Netz prüfen. Der Kiosk spielt weiter.',
    },
  ),
  files: template('{n} files', '{n} Dateien'),
  free: template('{size} free on disk', '{size} frei auf der Platte'),
  books: both('Plays stored', 'Gespeicherte Einblendungen'),
  lostPlays: template('{n} lost', '{n} verloren'),
  beaconsLine: template('{sent} sent, {pending} waiting', '{sent} gesendet, {pending} warten'),
  serviceFails: both('fails', 'antwortet nicht'),
});
