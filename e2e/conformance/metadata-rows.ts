import { type Row, row, testsOf } from './row';

const judged = testsOf('main/decisions/service-metadata.test.ts');
const read = testsOf('main/service/ads-reading/metadata.test.ts');
const instant = testsOf('main/service/ads-reading/instant.test.ts');
const answer = testsOf('main/service/ads-reading/read-ads.test.ts');
const vast = testsOf('main/service/ads-reading/vast.test.ts');
const audience = testsOf('main/decisions/audience.test.ts');
const windows = testsOf('main/decisions/frequency-caps.test.ts');
const counters = testsOf('main/decisions/flight-counters.test.ts');
const decider = testsOf('main/decisions/decider.test.ts');
const player = testsOf('main/playback/player.test.ts');
const online = testsOf('main/playback/online-slots.test.ts');
const exported = testsOf('main/admin/export-rows.test.ts');
const signals = testsOf('main/signals/signal-bodies.test.ts');
const playlist = testsOf('main/playback/playlist.test.ts');
const unknownWindows = testsOf('main/playback/unknown-windows.test.ts');
const deciding = testsOf('e2e/deciding.e2e.ts');

const plays = (title: string) => `${title} → plays: true`;
const doesNot = (title: string) => `${title} → plays: false`;

const attribution = [
  player('stores request, flight, campaign and source with a play'),
  exported('names the request, flight, campaign and source of a play'),
];

const FIELDS: readonly Row[] = [
  row(
    'service-metadata',
    'An ad carries its metadata as JSON in an extension of this type, in CDATA; a deployment may name the type differently',
    answer('is read into ads with their metadata', 'reads the extension of the type that is set'),
    vast('joins the text of its metadata extension, even if CDATA or elements split it'),
  ),
  row(
    'metadata.keys',
    'Keys are in snake_case and are read under exactly these names',
    read('is read as it was written'),
  ),
  row(
    'metadata.absent',
    'A key without a value is left out; so are zeros',
    read('reads a null value as an absent key, at any place', 'reads a missing number as zero'),
  ),
  row(
    'metadata.unknown-keys',
    'Keys that the kiosk does not know change nothing',
    read('ignores unknown keys at any place'),
  ),
  row(
    'metadata.unknown-values',
    'Values beyond the listed ones are kept as they are',
    read('keeps unknown strings'),
  ),
  row(
    'metadata.offline',
    'Targeting and caps are judged by the kiosk itself, without the service',
    decider('judges and chooses the same, whatever the playlist, the signals, the caps and the clock do'),
    testsOf('e2e/playing.e2e.ts')('after a restart it plays from the stored playlist, with the service gone'),
  ),
  row(
    'request_id',
    'Always there: an ad without one is rejected; it decides nothing',
    read(
      'needs only a request id',
      'an absent request id rejects the ad',
      'an empty request id rejects the ad',
      'a number for a request id rejects the ad',
    ),
    judged(plays('request_id: decides nothing')),
  ),
  row('request_id.correlation', 'Is kept with each play, for debugging', ...attribution),
  row(
    'audience',
    'An ad without one is for everyone',
    judged(plays('audience: absent matches everyone')),
    read('a list for an audience rejects the ad'),
  ),
  row(
    'campaign_id',
    'Optional; kept with each play; decides nothing',
    judged(plays('campaign_id: decides nothing')),
    read('a campaign_id that cannot be read counts as absent'),
    ...attribution,
  ),
  row(
    'flight_id',
    'Optional; kept with each play; without it caps cannot be counted, and the ad does not play',
    judged(plays('flight_id: absent, and no caps'), doesNot('flight_id: absent, so caps cannot be counted')),
    read('a number for a flight id rejects the ad'),
    ...attribution,
  ),
  row(
    'expires_at',
    'An RFC 3339 time in whole seconds of UTC; other offsets are read too, and what is no time rejects the ad',
    read(
      'reads an expiry with any offset',
      'a number for an expiry rejects the ad',
      'an empty expiry rejects the ad',
      'an impossible date rejects the ad',
    ),
    instant('2026-01-31T12:00:00Z is 2026-01-31T12:00:00.000Z', '"2026-01-31 12:00:00Z" is invalid'),
  ),
  row(
    'expires_at.slot',
    'Judged at the time of the slot: later than it, the ad is dropped; at that very moment it still plays',
    judged(plays('expires_at: not past it'), doesNot('expires_at: past it')),
    deciding('an ad does not play from its expiry on, even if it is still in the playlist'),
  ),
  row(
    'expires_at.online',
    'Online ads expire soon: they are judged again while they wait, and at their slot',
    online('an expired ad is skipped, also if it expires while it waits'),
    player('checks an online ad again at its slot, and uses the playlist if it has expired'),
  ),
  row(
    'frequency_caps',
    'A list; absent, nothing limits the plays; one that cannot be read rejects the ad',
    judged(plays('frequency_caps: absent')),
    read('an object for caps rejects the ad', 'a null cap rejects the ad'),
  ),
  row(
    'frequency_caps.online',
    'Online answers have none; where one has, it is kept',
    online('the first that may play is taken, not the first (rule 5)'),
    player('fills a slot with the online ad that arrived for it, and counts it for its flight'),
  ),
  ...['AD_SERVER', 'SSP', 'CMS'].map((source) =>
    row(
      `source.SOURCE_TYPE_${source}`,
      'A known kind of source; decides nothing',
      judged(plays(`source: SOURCE_TYPE_${source} decides nothing`)),
    ),
  ),
  row(
    'source.other',
    'Other strings are taken and kept with the play',
    judged(plays('source: other strings may appear')),
    read('keeps unknown strings'),
    ...attribution,
  ),
  row(
    'source_id',
    'Stored ads are grouped by it, and the groups share the slots as they share the playlist',
    judged('source_id: stored ads are grouped by it, to keep the source mix'),
    testsOf('main/decisions/source-mix.test.ts')(
      'keeps every prefix of 10,000 slots within one slot of each share, while all can play',
    ),
    deciding('caps and the source mix continue after a restart'),
  ),
];

const AGE_RANGES = [
  ...['18_20', '21_24', '25_29', '30_34', '35_39', '40_44', '45_49', '50_54', '55_59', '60_64'],
  ...['65_69', '70_74', '75_PLUS'],
].map((range) => `AGE_RANGE_${range}`);
const OPERATORS: readonly [name: string, says: string, holds: number, fails: number][] = [
  ['EQUAL', 'As many people as the value', 2, 1],
  ['LESS_THAN', 'Fewer people than the value', 3, 2],
  ['LESS_THAN_OR_EQUAL', 'No more people than the value', 2, 1],
  ['GREATER_THAN', 'More people than the value', 1, 2],
  ['GREATER_THAN_OR_EQUAL', 'No fewer people than the value', 2, 3],
];

const TARGETING: readonly Row[] = [
  row(
    'Audience.targeting_groups',
    'Any one group that matches is enough',
    judged(plays('targeting_groups: any one matches'), doesNot('targeting_groups: none matches')),
  ),
  row(
    'TargetingGroup.conditions',
    'All conditions of a group must match',
    judged(plays('conditions: all match'), doesNot('conditions: one does not')),
  ),
  row(
    'TargetingCondition',
    'Has exactly one member; with none, several or only unknown ones it matches nobody',
    judged(doesNot('conditions: exactly one member is set, else it never matches')),
    read(
      'a condition with no member is kept as unreadable',
      'a condition with only members it does not know is kept as unreadable',
      'a condition with two members is kept as unreadable',
      'a condition with one known member among unknown ones is that member',
    ),
  ),
  row(
    'TargetingCondition.demographic',
    'Matches when a detected shopper fits',
    judged(plays('demographic: a detected shopper fits')),
  ),
  row(
    'TargetingCondition.device',
    "Matches by the shopper's cart; without a cart it does not",
    judged(plays('device: the cart matches'), doesNot('device: no cart')),
    deciding('ads for a cart or for the weather stop when the cart is emptied or the weather changes'),
  ),
  row(
    'TargetingCondition.store',
    "Matches by the store's weather now; without weather it does not",
    judged(plays('store: the weather matches'), doesNot('store: no weather')),
    deciding('ads for a cart or for the weather stop when the cart is emptied or the weather changes'),
  ),
  row(
    'DemographicCondition',
    'Needs a vision sensor: without one, or when it is silent for too long, nobody is detected',
    judged(doesNot('demographic: without a vision sensor nobody is detected')),
    deciding('the signal of a sensor has no effect after its time to live'),
  ),
  row(
    'DemographicCondition.profiles',
    'Any one profile is enough; age and gender must be of the same person',
    judged(plays('profiles: any one matches'), doesNot('profiles: none matches')),
    audience('age of one and gender of another do not add up'),
  ),
  ...AGE_RANGES.map((range) =>
    row(
      `age_range.${range}`,
      'Matches a shopper of this range, and none of the others',
      judged(plays(`age_range: ${range}`), doesNot(`age_range: ${range}, but all others are there`)),
    ),
  ),
  row('age_range.unset', 'Any age', judged(plays('age_range: unset matches any'))),
  row(
    'age_range.other',
    'Other strings are compared as they are',
    judged(doesNot('age_range: other strings may appear')),
    audience('an age range this player never heard of is compared as it is'),
  ),
  ...['FEMALE', 'MALE', 'OTHER', 'UNKNOWN'].map((gender) =>
    row(
      `gender.GENDER_${gender}`,
      'Matches a shopper of this gender, and none of the others',
      judged(
        plays(`gender: GENDER_${gender}`),
        doesNot(`gender: GENDER_${gender}, but all others are there`),
      ),
    ),
  ),
  row('gender.unset', 'Any gender', judged(plays('gender: unset matches any'))),
  row(
    'gender.other',
    'Other strings match nobody whom the sensor calls otherwise',
    judged(doesNot('gender: other strings may appear')),
  ),
  row(
    'group_size',
    'Compares how many people the sensor counts, listed or not',
    audience('people beyond the list count', 'the group size and the person must both fit'),
    signals('reports a shopper if people are counted but none is listed: {"groupSize":4}'),
  ),
  ...OPERATORS.map(([operator, says, holds, fails]) =>
    row(
      `CountComparison.operator.COUNT_COMPARISON_OPERATOR_${operator}`,
      says,
      judged(
        plays(`group_size: 2 people, ${operator} ${holds}`),
        doesNot(`group_size: 2 people, ${operator} ${fails}`),
      ),
    ),
  ),
  row(
    'CountComparison.operator.absent',
    'Any number of people',
    judged(plays('group_size.operator: absent matches any count')),
  ),
  row(
    'CountComparison.operator.other',
    'Other strings match no number',
    judged(doesNot('group_size.operator: other strings may appear')),
  ),
  row(
    'CountComparison.value',
    'A whole number from 0 to 4,294,967,295',
    judged(
      plays('group_size: 2 people, GREATER_THAN 0'),
      plays('group_size: 2 people, LESS_THAN 4294967295'),
    ),
    read(
      'a fraction of a person in a condition rejects the ad',
      'fewer than no people in a condition rejects the ad',
      'more people than 32 bits count in a condition rejects the ad',
    ),
  ),
  row(
    'BasketFilter',
    'A product number or an item is enough',
    judged(plays('basket: skus or items')),
    audience('neither', 'an empty filter matches no cart'),
  ),
  row(
    'BasketFilter.skus',
    'Product numbers, compared exactly',
    judged(plays('basket.skus: listed'), doesNot('basket.skus: not listed')),
    audience('skus are exact: case', 'skus are exact: spaces'),
  ),
  row(
    'BasketFilter.items',
    'Names or categories, compared without case and outer spaces',
    judged(plays('basket.items: listed'), doesNot('basket.items: not listed')),
    audience('items without case', 'items trimmed', 'items composed and decomposed'),
  ),
  row(
    'StoreCondition.weather_types',
    'Any one of them is enough',
    audience('any one of them', 'none of them', 'several at once'),
  ),
  ...['SUNNY', 'CLOUDY', 'RAINY', 'SNOW', 'ABOVE_20_CELSIUS', 'BELOW_10_CELSIUS'].map((weather) =>
    row(
      `weather_types.WEATHER_TYPE_${weather}`,
      'Matches this weather, and no other',
      judged(
        plays(`weather_types: WEATHER_TYPE_${weather}`),
        doesNot(`weather_types: WEATHER_TYPE_${weather}, but all others hold`),
      ),
      ...(weather === 'ABOVE_20_CELSIUS'
        ? [signals('derives from 20.000001 °C: ["WEATHER_TYPE_ABOVE_20_CELSIUS"]', 'derives from 20 °C: []')]
        : []),
      ...(weather === 'BELOW_10_CELSIUS'
        ? [signals('derives from 9.99 °C: ["WEATHER_TYPE_BELOW_10_CELSIUS"]', 'derives from 10 °C: []')]
        : []),
    ),
  ),
  row(
    'weather_types.other',
    'Other strings match only weather of that very name',
    judged(doesNot('weather_types: other strings may appear')),
    audience('a type this player never heard of'),
  ),
];

const WINDOWS: readonly [name: string, says: string][] = [
  ['MINUTE', 'The 60 seconds before now'],
  ['THIRTY_MINUTES', 'The 30 minutes before now'],
  ['HOUR', 'The clock hour of now, in UTC'],
  ['DAY', 'The day of now, in UTC'],
  ['WEEK', 'The ISO week of now, from Monday, in UTC'],
];

const CAPS: readonly Row[] = [
  row(
    'FrequencyCap.limit',
    'A whole number from 0 to 4,294,967,295; at 0 the ad never plays',
    judged(doesNot('limit: 0'), plays('limit: plays are fewer'), plays('limit: 4294967295')),
    windows('a cap is reached at its limit, and a limit of 0 before any play'),
    read(
      'reads the number 4294967295 as the integer 4294967295',
      'a string for a limit rejects the ad',
      'a negative limit rejects the ad',
      'half a limit rejects the ad',
      'a limit beyond 32 bits rejects the ad',
    ),
  ),
  ...WINDOWS.map(([window, says]) =>
    row(
      `FrequencyCap.window.FREQUENCY_CAP_WINDOW_${window}`,
      says,
      judged(
        doesNot(`window ${window}: a play inside uses the cap`),
        plays(`window ${window}: a play before it does not`),
      ),
    ),
  ),
  row(
    'FrequencyCap.window.FREQUENCY_CAP_WINDOW_FLIGHT',
    'Everything that the flight ever played',
    judged(doesNot('window FLIGHT: every play of the flight’s life uses the cap')),
    counters('keeps only its total, and counts right in every window'),
  ),
  row(
    'FrequencyCap.window.utc',
    'Hours, days and weeks are those of UTC, whatever the store’s time zone',
    windows(
      'agree with the calendar for any date',
      'week: Sunday is its last day: 2026-11-22T23:59:59.999Z is in the period that starts 2026-11-16T00:00:00Z',
      'week: Monday is its first: 2026-11-23T00:00:00Z is in the period that starts 2026-11-23T00:00:00Z',
    ),
  ),
  row(
    'FrequencyCap.window.other',
    'Other strings are kept as the whole flight, and reported as a problem',
    judged(doesNot('window: other strings may appear, kept as the whole flight')),
    unknownWindows(
      'a cap with an unknown window is a problem that names it, and how it is applied',
      'unknown windows of the playlist and of online ads are reported together, until neither has any',
    ),
    playlist(
      'reports the ads in force: stored ones, then those that took over, never waiting or unplayable ones',
    ),
    online('reports the ads of the last answer, and none of a late or empty one'),
  ),
  row(
    'frequency_caps.all',
    'All caps of an ad hold at once',
    judged(doesNot('frequency_caps: every entry applies at once')),
    deciding('a flight with two caps plays as often as both allow, minute by minute and day by day'),
  ),
  row(
    'frequency_caps.per-flight',
    'Plays are counted by flight, over all its ads, answers and restarts',
    judged('frequency_caps: plays are counted per flight_id, never per ad'),
    decider('continues from stored data after a restart as if there had been none'),
  ),
  row(
    'frequency_caps.offline',
    'The kiosk keeps the caps itself: a play counts durably before its first frame',
    player(
      'stores the reservation before it lets the stage show anything (rule 8)',
      'never exceeds a cap: a flight that may play once is not prepared again',
    ),
  ),
];

export const METADATA_AREAS = [
  { title: 'Area A: the metadata of an ad', rows: FIELDS },
  { title: 'Area A: whom an ad is for', rows: TARGETING },
  { title: 'Area A: how often an ad may play', rows: CAPS },
];
