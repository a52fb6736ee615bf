import { both, pageWords, plural, template } from '../../../translations';

export const wordsOf = pageWords({
  name: both('Proof of play', 'Abspielnachweis'),
  tab: both('Proof', 'Nachweis'),
  /** `results`: of the scripts, with the number of each. */
  scriptsLine: template('JavaScript: {results}', 'JavaScript: {results}'),
  /** Errors in the banner or page that a play showed; at least one. */
  guestErrorsLine: both(
    (errors: readonly string[]) => `Script errors: ${errors.join(' · ')}`,
    (errors) => `Skriptfehler: ${errors.join(' · ')}`,
  ),
  playsTotal: both('Plays', 'Einblendungen'),
  viewed: both('Viewed', 'Gezeigt'),
  by: both('Totals by', 'Summen nach'),
  tabs: {
    flights: both('Flights', 'Flights'),
    campaigns: both('Campaigns', 'Kampagnen'),
    sources: both('Sources', 'Quellen'),
    hours: both('Hours', 'Stunden'),
    plays: both('Plays', 'Einzeln'),
  },
  hour: both('Hour', 'Stunde'),
  outcome: both('Outcome', 'Ergebnis'),
  time: both('Time', 'Zeit'),
  noCampaign: both('Without a campaign', 'Ohne Kampagne'),
  noSource: both('Without a source', 'Ohne Quelle'),
  otherLines: plural(['1 other', '{n} others'], ['1 andere', '{n} andere']),
  noPlays: both('No plays in this period.', 'Keine Einblendungen in diesem Zeitraum.'),
  counting: template(
    'Older plays are counted for the first time: {share}',
    'Ältere Einblendungen werden erstmals gezählt: {share}',
  ),
  export: both('Export', 'Export'),
});
