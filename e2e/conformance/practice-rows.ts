import { type Row, row, testsOf } from './row';

const answer = testsOf('main/native/native-answer.test.ts');
const client = testsOf('main/native/native-client.test.ts');
const http = testsOf('main/service/http.test.ts');
const ads = testsOf('main/service/ads.test.ts');
const vast = testsOf('main/service/ads-reading/vast.test.ts');
const wrappers = testsOf('main/service/ads-reading/wrappers.test.ts');
const readAds = testsOf('main/service/ads-reading/read-ads.test.ts');
const macros = testsOf('main/beacons/macros.test.ts');
const outbox = testsOf('main/beacons/outbox.test.ts');
const player = testsOf('main/playback/player.test.ts');
const link = testsOf('main/native/link-target.test.ts');
const guestPage = testsOf('main/beacons/guest-page.test.ts');

/** What services of this kind usually do where the interface does not say. */
const ADS: readonly Row[] = [
  row(
    'practice.vast',
    'Ads come as VAST; pods ascend, and one bad ad leaves its neighbours alone',
    vast('has its impressions, errors, tracking, clicks, duration and media', 'pods ascend'),
    readAds('keeps the neighbours of a bad ad'),
  ),
  row(
    'practice.no-fill',
    'An empty VAST, or 204, is no fill: the stored playlist stays',
    readAds('without an ad is no fill, and returns its error URLs'),
    ads('takes 204 as no fill'),
    testsOf('main/playback/online-slots.test.ts')('leaves the slot to the playlist after no fill'),
  ),
  row(
    'practice.wrappers',
    'Wrappers are followed five deep, circles are found, and beacons inherited',
    wrappers(
      'is followed five deep, and no deeper',
      'is unresolved when it leads round in a circle',
      'becomes the ad that it leads to, inherits everything, and keeps only the metadata of the service',
    ),
  ),
  row(
    'practice.tracking',
    'Impression and start at the first frame, quartiles by time played, complete at the end',
    player(
      'fires impression and start at the first frame, quartiles on the way, complete at the end (rule 15)',
    ),
  ),
  row(
    'practice.errors',
    'An ad that could not be shown is told by its error URLs, with a code',
    player('requests the error URLs of an ad that could not be shown: load-failed is 401 (rule 15)'),
  ),
  row(
    'practice.verbatim',
    'URLs go out as they came, but for macros, filled in once at the event',
    macros(
      'stays unchanged if it contains no macro',
      'http://x/i?t=[TIMESTAMP] goes out as http://x/i?t=2026-02-28T12%3A30%3A15.250Z',
      'http://x/i?cb=[CACHEBUSTING] goes out as http://x/i?cb=00004711',
      'carries the error code when it reports an error',
    ),
  ),
  row(
    'practice.event-time',
    'The time of the event can be appended; a late beacon keeps it',
    macros('http://x/i?a=1 gets the event time as http://x/i?a=1&ets=2026-02-28T12%3A30%3A15.250Z'),
    outbox('goes out with the time of its event, however late'),
  ),
  row(
    'practice.outage',
    'What an outage kept back goes out after it, oldest first and spread',
    outbox(
      'in which nobody answers the door: afterwards every beacon is delivered, oldest first',
      'is followed by about five beacons per second, at most two at once',
    ),
    testsOf('e2e/beacons.e2e.ts')(
      'beacons stored in an outage are sent once each, even after a kill -9 and a restart',
    ),
  ),
  row(
    'practice.online-parameters',
    'What the sensors know can be sent with an online request, the activation of a sensor too',
    testsOf('main/service/online-params.test.ts')(
      '"{shopper.activationId}" is expanded',
      '"{weather.types}" is expanded',
      'age and gender of a group are not sent',
    ),
  ),
  row(
    'practice.token-errors',
    'An error of the token request is named by what is wrong',
    testsOf('main/service/token.test.ts')(
      'reports a wrong secret with its error code',
      'reports a wrong secret, the other way with its error code',
      "reports a gateway's 503 page with its error code",
      'reports a log-in page with its error code',
    ),
  ),
  row(
    'practice.error-words',
    'The service’s own words about an error are repeated to staff, without secrets',
    http(
      'the error message of a gRPC gateway',
      'the error message of RFC 6749',
      'the error message of the native API',
    ),
  ),
];

const NATIVE: readonly Row[] = [
  row(
    'practice.native-no-fill',
    'An empty list, or none, is no fill',
    answer('with an empty list is no fill', 'with no list is no fill'),
  ),
  row(
    'practice.native-status',
    'Any status but `ok` is an error, an empty one too',
    client(
      'answered with 200 {"status":"error","error_message":"Invalid app token"} is the error refused',
      'answered with 200 {"status":"","ads":[]} is the error refused',
    ),
  ),
  row(
    'practice.vast2',
    'A video comes as VAST in a text',
    answer('vast2 is read into media, tracking and click-through, URLs verbatim and without metadata'),
  ),
  row(
    'practice.jsondata',
    'Data may be under `jsondata`',
    answer(
      'finds data under jsondata, beside data',
      'finds data under jsondata, inside data',
      'finds data under jsondata, as text',
    ),
  ),
  row(
    'practice.no-link',
    'An ad may have no link, or one of an app with an address to fall back on',
    answer('the link undefined is kept as null'),
    link(
      'intent://x#Intent;scheme=app;S.browser_fallback_url=https%3A%2F%2Fa.example%2Fb;end opens its fallback',
    ),
  ),
  row('practice.bundleid', 'Its text may be empty', answer('bundleid of {"text":""}')),
  row(
    'practice.other-types',
    'Assets and beacons of further types are left out',
    answer(
      'ignores custom_endcard of {"jsondata":{"anything":1}}',
      'ignores votes of {"number":12}',
      'of an unknown type are none',
    ),
  ),
  row(
    'practice.markup-scripts',
    'A script beacon may be markup with `<script>` elements',
    guestPage(
      'recognises <script>ping()</script> as markup: true',
      'serves a bare script as a file, so that a closing tag inside it is harmless',
    ),
  ),
  row(
    'practice.thirty-minutes',
    'Confirmations are kept on disk, and dropped after 30 minutes',
    outbox('goes out once the host is back, within thirty minutes', 'expires after thirty minutes'),
  ),
];

export const PRACTICE_AREAS = [
  { title: 'Where the interface is silent: ads', rows: ADS },
  { title: 'Where the interface is silent: native ads', rows: NATIVE },
];
