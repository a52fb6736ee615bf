import { type Row, row, testsOf } from './row';

const answer = testsOf('main/native/native-answer.test.ts');
const query = testsOf('main/native/native-query.test.ts');
const client = testsOf('main/native/native-client.test.ts');
const pacing = testsOf('main/native/native-pacing.test.ts');
const supply = testsOf('main/native/native-supply.test.ts');
const token = testsOf('main/service/token.test.ts');
const inventory = testsOf('main/service/inventory.test.ts');
const http = testsOf('main/service/http.test.ts');
const ads = testsOf('main/service/ads.test.ts');
const metadata = testsOf('main/service/ads-reading/metadata.test.ts');
const readAds = testsOf('main/service/ads-reading/read-ads.test.ts');
const vast = testsOf('main/service/ads-reading/vast.test.ts');
const outbox = testsOf('main/beacons/outbox.test.ts');
const sender = testsOf('main/beacons/beacon-sender.test.ts');
const scripts = testsOf('main/beacons/js-guests.test.ts');
const clicks = testsOf('main/native/clicks.test.ts');
const taps = testsOf('main/native/tap-witness.test.ts');
const stage = testsOf('renderer/kiosk/stage.test.ts');
const nativeAds = testsOf('main/native/native-ads.test.ts');
const nativeLaws = testsOf('main/native/native-ads-laws.test.ts');
const playNative = testsOf('main/native/native.test.ts');
const native = testsOf('e2e/native.e2e.ts');
const clicking = testsOf('e2e/clicks.e2e.ts');
const guests = testsOf('e2e/guests.e2e.ts');
const strangers = testsOf('e2e/guest-isolation.e2e.ts');

const confirmsOnce = native(
  'one second of view confirms each impression beacon once, also duplicates and scripts',
);
const opensAndConfirms = clicks(
  'on https://shop.example/a leads to page https://shop.example/a, and sends every click beacon',
);

const BEACONS: readonly Row[] = [
  row(
    'beacon.impression.url',
    'A GET from the kiosk itself',
    answer('keep their order, their kinds and their duplicates'),
    sender('is a GET without cookies or credentials, with its query as it was'),
    confirmsOnce,
  ),
  row(
    'beacon.impression.js',
    'A script, run in a web view',
    answer('keep their order, their kinds and their duplicates'),
    scripts('are recorded as run when their page reports it, and destroyed a little later'),
    strangers('cookies, storage and eval work in a script, on an origin of its own'),
    guests('they leave no cookie, clipboard, page or process'),
    confirmsOnce,
  ),
  row(
    'beacon.click.url',
    'A GET from the kiosk itself at a click',
    answer('keep their order, their kinds and their duplicates'),
    opensAndConfirms,
    clicking(
      'a script is no click; a tap or double tap is one click, opens its link, and holds the loop until the shopper returns',
    ),
  ),
  row(
    'beacons.several',
    'An ad may have several of each: every one is confirmed, equal ones too',
    outbox('sends every beacon of the list, duplicates too, and only the first time'),
    testsOf('main/beacons/many-beacons.test.ts')('confirms all of them once, as a native ad'),
  ),
  row(
    'beacons.client-side',
    'With `srvi=1` too it is the kiosk that confirms',
    query('srvi=1 is sent as configured'),
    sender('is a GET without cookies or credentials, with its query as it was'),
  ),
];

const EVENTS: readonly Row[] = [
  row(
    'impression.after-a-second',
    'Confirmed only after one second of uninterrupted view',
    stage(
      'of one continuous second, once',
      'again after something covers it',
      'again after the window is hidden',
      'but not of a video whose frames stand still',
    ),
    native('a view of 0.9 s confirms nothing, even if it repeats'),
    nativeAds('a card is confirmed by its second of view, not by its first frame'),
  ),
  row(
    'impression.every-beacon',
    'Every impression beacon of the ad is confirmed',
    outbox('sends every beacon of the list, duplicates too, and only the first time'),
    confirmsOnce,
  ),
  row(
    'impression.real-time',
    'Confirmed at once, ahead of everything that waits',
    outbox('does not wait behind a backlog', 'waits for no other beacon of its play'),
  ),
  row(
    'impression.once',
    'Each ad is confirmed once: not at a second view, nor after a restart',
    outbox('is not repeated after a restart'),
    nativeLaws('no impression beacon is sent twice, no script runs twice, and none is lost without a report'),
    native('a confirmation that a SIGKILL interrupted is not repeated'),
  ),
  row(
    'click.genuine',
    'Only what a person touched is a click: nothing automated counts',
    taps('counts once if main saw its tap', 'does not count without a touch'),
    clicks('without an input event in main does not count'),
    clicking('a touch is one click, also on a banner'),
  ),
  row(
    'click.no-reward',
    'Nobody is rewarded for a click: a card says nothing of what it pays',
    testsOf('main/native/card-content.test.ts')('has no promise for a click: points are not part of it'),
  ),
  row(
    'click.every-beacon',
    'Every click beacon of the ad is confirmed, whether or not its link can be opened',
    opensAndConfirms,
    clicks('on an ad with no link sends every click beacon and opens nothing', 'counts for each tap'),
  ),
  row(
    'click.link',
    'A click leads to the link of the ad',
    opensAndConfirms,
    clicking(
      'a script is no click; a tap or double tap is one click, opens its link, and holds the loop until the shopper returns',
    ),
  ),
  row(
    'redirect.app',
    'An ad for an app goes on at the shopper’s phone: its redirects are followed in the background',
    clicks('of a CPA campaign on https://shop.example/a continues on a phone'),
    clicking(
      'an app link continues on a phone with a QR code of its final address; other schemes use their fallback or a code',
    ),
  ),
  row(
    'redirect.page',
    'A page is shown in a browser window of the kiosk',
    clicks('on https://shop.example/a leads to page https://shop.example/a, and sends every click beacon'),
    testsOf('e2e/shop.e2e.ts')(
      'a shopper signs in, orders and pays in a shop, and the next shopper finds no trace',
    ),
  ),
];

const ERRORS: readonly Row[] = [
  row(
    'error.no-fill',
    'Without an ad the kiosk goes on',
    client('answered with 204  is no-fill', 'answered with 200 {"status":"ok"} is no-fill'),
    supply('works with no fill'),
    native('the loop plays on with no fill or a failing native service'),
  ),
  row(
    'error.inventory',
    'Nothing but status 200 means that token and project are right',
    inventory(
      'fails if the service answers 403: forbidden',
      'fails if the service answers 201: unexpected-status',
    ),
  ),
  row(
    'error.not-described',
    'Other statuses and bodies are not described: each has a name of its own, and the kiosk goes on',
    http('401', '403', '404', '429', '500', '418'),
    supply('requests ads with growing pauses while the service fails, and returns none meanwhile'),
    testsOf('main/service/playlist-refresh.test.ts')(
      'an unavailable database does not stop the refresh loop',
    ),
  ),
];

const LIMITS: readonly Row[] = [
  row(
    'limit.adcount',
    'From 1 to 20',
    query('an adcount of 0, whatever its source', 'an adcount of 21, whatever its source'),
    answer('with more ads than requested is shortened'),
  ),
  row(
    'limit.ads-per-session',
    'At most three native ads in the session of one shopper',
    pacing(
      'has at most three native ads',
      'for any order of events, no confirmed, dropped or stale ad and at most three in a session',
    ),
    native('a touch starts a session of at most three native ads; idleness ends it'),
  ),
  row(
    'limit.refresh.event',
    'A new request follows a click',
    pacing('follows a click at once, however many ads are available'),
    supply('requests ads at once after a click'),
  ),
  row(
    'limit.refresh.non-engagement',
    'Without a click it waits for 1 to 3 minutes, by the length of the session',
    pacing(
      'after a session of 2 minutes waits for 60000 ms of non-engagement (rule 19)',
      'after a session of 6.5 minutes waits for 120000 ms of non-engagement (rule 19)',
      'after a session of 45 minutes waits for 180000 ms of non-engagement (rule 19)',
      'waits by the length of the current session, unless the settings define the time',
    ),
  ),
  row(
    'limit.view',
    'One second of view before a confirmation',
    stage('of one continuous second, once', 'but not over a gap between two frames'),
  ),
  row(
    'limit.FrequencyCap.limit',
    'From 0 to 4,294,967,295',
    metadata('a negative limit rejects the ad', 'a limit beyond 32 bits rejects the ad'),
  ),
  row(
    'limit.CountComparison.value',
    'From 0 to 4,294,967,295',
    metadata(
      'fewer than no people in a condition rejects the ad',
      'more people than 32 bits count in a condition rejects the ad',
    ),
  ),
  row(
    'limit.expires_at',
    'Whole seconds of UTC; an online ad has far less time than a stored one',
    metadata('is read as it was written'),
    testsOf('main/demo-service/ads-endpoint.test.ts')(
      'is VAST with the metadata extension, the caps and a long expiry',
      'is one ad without caps that expires within a minute',
    ),
  ),
  row(
    'limit.token',
    'A token lives as long as its answer says',
    token(
      'expires_in 43199 is taken for 43199000 ms',
      'happens in the background at about 80 % of the lifetime',
    ),
  ),
  row(
    'limit.rate',
    'Not described: the kiosk waits as long as it is asked to, and spreads its requests',
    client('reports when the service asks to wait'),
    testsOf('main/service/playlist-refresh.test.ts')(
      'is not asked before its Retry-After time',
      'is asked at spread times: random 0',
    ),
  ),
];

const VERSIONS: readonly Row[] = [
  row(
    'version./v1alpha/',
    'The version of the inventory is in its path',
    inventory('posts an empty object, with the token and the project in its headers'),
  ),
  row(
    'version./v1alpha2/',
    'The version of the ads is in their path',
    ads('carries params and offlineParams; a list repeats its parameter'),
  ),
  row(
    'version./api/v3/',
    'The version of native requests is in their path',
    client('requests the documented path without a token or extra headers'),
  ),
  row(
    'version.unknown',
    'Keys and values that the kiosk does not know do no harm',
    metadata('ignores unknown keys at any place', 'keeps unknown strings'),
    answer('with unknown fields is read'),
  ),
];

const RULES: readonly Row[] = [
  row(
    'rule 1.bounded',
    'A document is bounded in size and depth, and declares no entities',
    vast('is bounded in size, depth and number of ads', 'cannot be read from a billion laughs'),
  ),
  row(
    'rule 1.neighbours',
    'One bad ad is rejected with a code; a document that is cut off changes nothing',
    readAds('keeps the neighbours of a bad ad', 'is unreadable when it is cut off at any position'),
  ),
  row(
    'rule 2.rejected',
    'Metadata that targeting, expiry or caps need and that cannot be read rejects the ad',
    readAds('keeps all good ads, whatever is wrong with a bad one'),
    metadata(
      'a number for a flight id rejects the ad',
      'a number for an expiry rejects the ad',
      'a number for a window rejects the ad',
      'a string for conditions rejects the ad',
    ),
  ),
  row(
    'rule 5.no-media',
    'Without a file that was verified an ad does not play',
    testsOf('main/decisions/decider.test.ts')(
      'gives no-media for an ad without a file that this kiosk can show',
    ),
    testsOf('main/playback/online-slots.test.ts')('an ad without its media is skipped until they arrive'),
  ),
  row(
    'rule 5.first-that-may',
    'Of an online answer the first ad that may play is taken',
    testsOf('main/playback/online-slots.test.ts')('the first that may play is taken, not the first (rule 5)'),
  ),
  row(
    'rule 6.online-audience',
    'The service has matched online ads; only `recheck` judges their audience again',
    testsOf('main/playback/online-slots.test.ts')(
      'their audience was matched by the service',
      'their audience is judged again with "recheck", and the reason for a dropped ad is logged',
    ),
  ),
  row(
    'rule 7.future',
    'A play stamped in the future counts too, and a clock that jumps frees no cap',
    testsOf('main/decisions/flight-counters.test.ts')(
      'FREQUENCY_CAP_WINDOW_DAY counts a play at 2030-01-01T00:00:00.000Z: 1',
    ),
    testsOf('main/decisions/clock-laws.test.ts')('a clock that jumps a day and back five times frees no cap'),
  ),
  row(
    'rule 14.held',
    'While something covers the stage, or the store is closed, nothing is reserved and no native ad requested',
    testsOf('main/playback/player.test.ts')(
      'holds while any reason holds, and settles without complete (rule 14)',
      'reserves no play for a time at which the store is closed',
    ),
    playNative('nothing is requested while the stage is held or a sensor reports no shopper (rule 19)'),
  ),
  row(
    'rule 16.sent-once',
    'A confirmation that may have arrived is never repeated; after 30 minutes it is not sent at all',
    outbox(
      'is stored as sending before it is sent, if a repeat would count',
      'is not repeated after an answer that stayed away',
      'is repeated after busy',
      'expires after thirty minutes',
    ),
  ),
  row(
    'rule 16.painted',
    'A banner that paints nothing is not confirmed',
    nativeAds('is dropped with the reason if there is no picture'),
    testsOf('e2e/banners.e2e.ts')(
      'a banner that stays blank is replaced by its picture, or its ad is not billed',
      'the card is white behind a banner without a background',
    ),
  ),
  row(
    'rule 17.viewable',
    'An MRAID banner is viewable from the first frame of its slot to the last, not before',
    testsOf('main/beacons/mraid.test.ts')(
      'a banner is ready once it is loaded, and not viewable before its slot begins (rules 16 and 17)',
      'a banner is viewable from the first to the last frame of its slot, and gets each event once',
    ),
    testsOf('e2e/banners.e2e.ts')(
      'an MRAID banner is viewable while its slot is shown, not before and not after',
    ),
  ),
  row(
    'rule 17.four-scripts',
    'Four scripts of beacons run at once; one that lingers holds no place',
    scripts('run at most four at once, and a lingering one does not count'),
  ),
  row(
    'rule 18.one-per-tap',
    'One tap is one click, however many fingers or events it has',
    taps(
      'counts a touch and the mouse events that the browser makes of it as one tap',
      'counts once for a double tap',
      'counts once for several fingers',
    ),
  ),
  row(
    'rule 19.dropped',
    'A native ad whose files cannot be fetched is dropped, and its error told',
    playNative(
      'an ad whose media cannot be fetched is dropped after its retries (rule 19)',
      'its VAST error is fired if it has one',
      'the next ad with a file that failed is dropped at its receipt, for an hour',
    ),
  ),
  row(
    'rule 22.egress',
    'What an ad names reaches no private address; secrets go over TLS only and follow no redirect',
    sender('never goes to http://10.0.0.1/i'),
    http('do not go over plain http to another machine', 'do not follow a redirect'),
    testsOf('e2e/fenced-ads.e2e.ts')(
      'an ad’s beacons, wrappers and media reach public addresses only; the rest of the ad plays',
    ),
  ),
  row(
    'rule 22.proxy',
    'In a store with a proxy, everything of a kiosk goes through it, under its CA where it reads TLS',
    testsOf('e2e/store-proxies.e2e.ts')(
      'everything of a kiosk goes through the store’s proxies: token, ads, media, beacons, guests, linked pages',
    ),
    testsOf('main/egress/lookup-behind-proxy.test.ts')(
      'is looked up and refused if private, even if other names get no answer',
    ),
  ),
  row(
    'rule 26.books',
    'Caps and counters belong to service, project and player; other settings keep them',
    testsOf('main/records/book-names.test.ts')(
      'the name stays the same after a change of authUrl, nativeUrl and credentials',
      'the name depends on the service, the project and the player',
    ),
  ),
];

export const BEHAVIOUR_AREAS = [
  { title: 'Area C: beacons', rows: BEACONS },
  { title: 'Events', rows: EVENTS },
  { title: 'Errors', rows: ERRORS },
  { title: 'Limits', rows: LIMITS },
  { title: 'Versions', rows: VERSIONS },
  { title: 'What the rules of docs/rules.md add', rows: RULES },
];
