import { both, pageWords, template } from '../../../translations';

export const wordsOf = pageWords({
  name: both('Why this ad?', 'Warum diese Werbung?'),
  tab: both('Ads', 'Werbung'),
  onlineAnswer: template('Online answer of {time}', 'Online-Antwort von {time}'),
  searchAds: both(
    'Search id, title, source, flight, campaign',
    'Suche nach ID, Titel, Quelle, Flight, Kampagne',
  ),
  mayPlay: both('May play', 'Darf laufen'),
  mayNotPlay: both('May not play', 'Darf nicht'),
  decision: both('Decision', 'Entscheidung'),
  expiry: both('Expiry', 'Ablauf'),
  caps: both('Caps', 'Limits'),
  audience: both('Audience', 'Zielgruppe'),
  media: both('Media', 'Medien'),
  duration: both('Length', 'Länge'),
  noCaps: both('no caps', 'keine Limits'),
  withPlaylist: both('with the playlist', 'mit der Liste'),
  mediaStates: {
    ready: both('on disk', 'gespeichert'),
    waiting: both('not on disk yet', 'noch nicht geladen'),
    failed: both('failed', 'fehlgeschlagen'),
    unsupported: both('none for this kiosk', 'keine für diesen Kiosk'),
  },
  matching: template('{n} of {of} ads', '{n} von {of}'),
  judgedAt: template('checked at {time}', 'Stand {time}'),
  noMatch: both('No ad matches.', 'Keine Werbung passt dazu.'),
  notRead: both('Ads of the last answer that could not be read', 'Nicht lesbare Werbung der letzten Antwort'),
});
