import { type Row, row, testsOf } from './row';

const query = testsOf('main/native/native-query.test.ts');
const client = testsOf('main/native/native-client.test.ts');
const answer = testsOf('main/native/native-answer.test.ts');
const ads = testsOf('main/service/ads.test.ts');
const params = testsOf('main/settings/native-params.test.ts');
const vendor = testsOf('main/settings/identifier-vendor.test.ts');
const video = testsOf('main/native/vast-video.test.ts');
const card = testsOf('main/native/card-content.test.ts');
const link = testsOf('main/native/link-target.test.ts');
const points = testsOf('main/native/points.test.ts');
const record = testsOf('main/native/native-ads.test.ts');
const exported = testsOf('main/admin/export-rows.test.ts');
const native = testsOf('e2e/native.e2e.ts');
const banners = testsOf('e2e/banners.e2e.ts');

const always = query('has every required parameter, all six meta types and no identifier');
const sent = (...pairs: readonly string[]) => query(...pairs.map((pair) => `${pair} is sent as configured`));
const leftOut = (parameter: string) => query(`${parameter} is left out when it is unknown`);
const withoutTracking = query(
  'dnt=1: no identifier, hash, age or gender',
  'coppa=1: no identifier, hash, age or gender',
);

const REQUEST: readonly Row[] = [
  row(
    'GET /api/v3/native',
    'The path of a native request; the answer is JSON',
    client('requests the documented path without a token or extra headers'),
  ),
  row(
    'native.user-agent',
    'A native request and the beacons of its ads carry one user agent (rule 19)',
    client(
      "carries one user agent, the browser's (rule 19)",
      'carries one user agent, that of the settings (rule 19)',
    ),
  ),
  row('native.encoding', 'Values are text, encoded', query('encodes special characters')),
  row(
    'apptoken',
    'Required; a secret that no message shows',
    always,
    query('{} {"apptoken":null}'),
    client('repeats the error message of the service, but not a token in it'),
  ),
  row('os', 'Required: the setting, else the machine’s own', always, sent('os=ChromeOS')),
  row(
    'osver',
    'Required: the setting, else the machine’s own',
    always,
    sent('osver=12.4'),
    query('a device that does not know its own version'),
  ),
  row('devicemodel', 'Required: the setting, else the machine’s own', always, sent('devicemodel=Elo 15')),
  row('dnt', 'Required: 1 unless the operator allows tracking with 0', always, sent('dnt=0', 'dnt=1')),
  row(
    'dnt.1',
    'With 1 nothing personal is sent: no identifier, no hash, no age, no gender',
    query(
      'dnt=1: no identifier, hash, age or gender',
      'they are not sent under the name of another interface either',
    ),
    params(
      'configured parameters that are not sent are reported (rule 20)',
      'personal and location data under undocumented names is held back and reported too (rule 20)',
    ),
    ads('sensed age and gender are sent only with permission, all other parameters always (rule 20)'),
  ),
  ...['s', 'm', 'l'].map((layout) =>
    row(
      `al.${layout}`,
      layout === 'm' ? 'A layout; the one asked for unless the settings say otherwise' : 'A layout',
      query(`al has its own setting: {"al":"${layout}"} is sent as ${layout}`),
      ...(layout === 'm' ? [always] : []),
    ),
  ),
  row('zoneid', 'Required', always, query('{} {"zoneid":null}')),
  row('mf', 'Optional: all six types unless the settings name fewer', always, sent('mf=points')),
  row(
    'idfa',
    'Required on Apple’s systems; zeros stand in for it without leave to track',
    sent('idfa=A-1'),
    leftOut('idfa'),
    query('{"os":"iOS","dnt":"0"} {}', 'on ios the required identifier is all zeros'),
    vendor('the operating system "iOS" has the identifiers of apple'),
  ),
  row(
    'gid',
    'Required on Android; zeros stand in for it without leave to track',
    sent('gid=G-1'),
    leftOut('gid'),
    query('{"os":"android","dnt":"0"} {}', 'on android the required identifier is all zeros'),
    vendor('the operating system "android" has the identifiers of android'),
  ),
  ...['idfamd5=m', 'idfasha1=s', 'gidmd5=m', 'gidsha1=s'].map((pair) =>
    row(
      pair.split('=')[0] ?? '',
      'Optional; not sent without leave to track',
      sent(pair),
      leftOut(pair.split('=')[0] ?? ''),
      withoutTracking,
    ),
  ),
  row('srvi', 'Optional; 1 needs `ip` and `ua`', sent('srvi=0', 'srvi=1'), leftOut('srvi')),
  row(
    'ua',
    'Required with `srvi=1`',
    sent('ua=Mozilla/5.0 (X11; Linux)'),
    leftOut('ua'),
    query('{"srvi":"1"} {}'),
  ),
  row(
    'ip',
    'Required with `srvi=1`',
    sent('ip=192.0.2.1'),
    leftOut('ip'),
    query('{"srvi":"1","ua":"U"} {}', '{"srvi":"0"} {}'),
  ),
  row(
    'adcount',
    'From 1 to 20; always sent',
    always,
    query(
      'adcount has its own setting: {"adcount":1} is sent as 1',
      'adcount has its own setting: {"adcount":20} is sent as 20',
      'an adcount of 0, whatever its source',
      'an adcount of 21, whatever its source',
    ),
  ),
  row('bundleid', 'Optional', sent('bundleid=com.example.kiosk'), leftOut('bundleid')),
  row('locale', 'Optional: the setting, else the kiosk’s language', always, sent('locale=de_DE')),
  ...['lat=52.52', 'long=-13.4'].map((pair) =>
    row(
      pair.split('=')[0] ?? '',
      'Optional: where the store is, so it is sent under `dnt=1` too; left out while unknown',
      sent(pair),
      leftOut(pair.split('=')[0] ?? ''),
      query('the location of the store is still sent, but not with coppa=1'),
    ),
  ),
  ...['male', 'female', 'other'].map((gender) =>
    row(
      `native.gender.${gender}`,
      'Optional; a sensed one only with the operator’s leave, and of a single person',
      sent(`gender=${gender}`),
      query(`GENDER_${gender.toUpperCase()} of a single person is ${gender}`),
    ),
  ),
  row(
    'native.gender.unknown',
    'Left out when nobody knows it, or it may not be told',
    leftOut('gender'),
    withoutTracking,
    query('of one among several is not sent', 'without the operator’s leave is not sent'),
  ),
  row(
    'native.age',
    'Optional: a sensed range is told by its middle',
    sent('age=34'),
    leftOut('age'),
    withoutTracking,
    query(
      'of a single person in AGE_RANGE_18_20 is 19, the middle',
      'replaces the configured one, but is not sent with limited tracking or for a group',
    ),
  ),
  row('keywords', 'Optional: a list with commas', sent('keywords=food,drink & more'), leftOut('keywords')),
  row('secure', '`https` instead of http for what the answer names', always, sent('secure=https')),
  row('coppa.0', 'Not subject to COPPA', sent('coppa=0'), leftOut('coppa')),
  row(
    'coppa.1',
    'Subject to COPPA: nothing personal and no place is sent',
    sent('coppa=1'),
    query(
      'coppa=1: no identifier, hash, age or gender',
      'the location of the store is still sent, but not with coppa=1',
    ),
  ),
  row(
    'native.optional-parameters',
    'All that is known and allowed is sent; what is configured and held back is reported',
    params('configured parameters that are not sent are reported (rule 20)'),
    query('an undocumented parameter is sent unchanged'),
  ),
];

const asset = (type: string) => answer(`${type} is read`);
const AD: readonly Row[] = [
  row(
    'status',
    '`ok` on a normal answer; anything else is an error',
    answer('of status ok returns its ads, each with an instance', '{"status":"okay","ads":[]} is refused'),
  ),
  row('ads', 'No more of them than were asked for', answer('with more ads than requested is shortened')),
  row(
    'link',
    'The address that a click leads to',
    answer('the link "https://shop.example" is kept as "https://shop.example"'),
    link('https://shop.example/a?b=c#d opens as a page'),
  ),
  row(
    'assetgroupid',
    'Is kept with each play',
    answer('the asset group 77 is kept as "77"'),
    record('has the fields of the answer'),
    exported('names the creative of a native ad, and null for other ads'),
  ),
  row('assets', 'A list of types with their data', asset('icon'), asset('cta')),
  row('meta', 'A list of types with their data', answer('points of {"number":1500}')),
  row(
    'beacons',
    'A list of types with their data',
    answer('keep their order, their kinds and their duplicates'),
  ),
  row(
    'native.unknown',
    'What the kiosk does not know changes nothing',
    answer('with unknown fields is read'),
  ),
];

const ASSETS: readonly Row[] = [
  row(
    'asset.icon',
    'A picture with its size',
    asset('icon'),
    card('matches the schema of the window and is complete'),
  ),
  row('asset.banner', 'A picture with its size', asset('banner'), card('with a banner')),
  row('asset.title', 'A text', asset('title')),
  row('asset.description', 'A text', asset('description')),
  row('asset.rating', 'A number', asset('rating'), answer('ignores rating of {"number":87}')),
  row(
    'asset.cta',
    'A text: the words of the button',
    asset('cta'),
    card(
      'with the link "https://shop.example" and the text "Buy" has the button {"kind":"text","text":"Buy"}',
    ),
  ),
  row('asset.standardbanner', 'A picture with its size, for any format', asset('standardbanner')),
  row(
    'asset.htmlbanner',
    'Markup with its size, for any format',
    asset('htmlbanner'),
    card('with an HTML banner'),
    banners('a banner can use frames, style sheets, cookies, eval, document.write and MRAID'),
  ),
  row(
    'asset.vast2',
    'A video; the shape of its data is not described',
    answer('vast2 is read into media, tracking and click-through, URLs verbatim and without metadata'),
    video('the first ad that has media is the video'),
    native(
      'a video in a card sends its events once, a banner of markup is shown, and the layout closes over broken pictures',
    ),
  ),
  row(
    'assets.native-demand',
    'Icon, title, description, rating and banner are supported',
    ...['icon', 'title', 'description', 'rating', 'banner'].map(asset),
  ),
  row(
    'assets.cross-format',
    'Standard banner, HTML banner and VAST are supported too',
    client(
      'the ads of the embedded service are read completely: all assets, meta and beacon kinds, without a warning',
    ),
    native('banners of fixed sizes fill their whole frame, and are laid out at their own size'),
  ),
  row(
    'assets.type',
    'The type is stated with each asset; types that the kiosk does not know are left out',
    answer('ignores custom_endcard of {"jsondata":{"anything":1}}', 'tolerates a type in capitals'),
  ),
  row(
    'assets.sizes',
    'Icon, banner, standard banner and HTML banner come with a size',
    ...['icon', 'banner', 'standardbanner', 'htmlbanner'].map(asset),
    answer('tolerates sizes left out'),
    banners('a banner without a size is laid out by its content'),
  ),
];

const META: readonly Row[] = [
  row('meta.points', 'A number', answer('points of {"number":1500}', 'points of {"number":0}')),
  row(
    'meta.revenuemodel',
    'CPA, CPC or CPM, in any case; others are taken as other',
    answer(
      'revenuemodel of {"text":"cpa"}',
      'revenuemodel of {"text":"CPC"}',
      'revenuemodel of {"text":" Cpm "}',
      'revenuemodel of {"text":"cpv"}',
    ),
  ),
  row('meta.campaignid', 'A text', answer('campaignid of {"text":"41010"}')),
  row(
    'meta.creativeid',
    'An identifier, or an empty object',
    answer('creativeid of {}', 'creativeid of {"text":"c-1"}'),
  ),
  row(
    'meta.bundleid',
    'An identifier, or an empty object',
    answer('bundleid of {}', 'bundleid of {"text":"com.example"}'),
  ),
  row(
    'meta.contentinfo',
    'Link, icon and text: why this ad is shown',
    answer('contentinfo of {"link":"https://a.example","icon":"https://a.example/i.png","text":"Why?"}'),
    card('matches the schema of the window and is complete'),
  ),
  row(
    'points.CPA',
    'One point is 0.001 USD for a conversion',
    points('1 points of CPA are {"usd":0.001,"per":{"count":1,"event":"conversion"}}'),
  ),
  row(
    'points.CPM',
    'One point is 0.001 USD for a thousand impressions',
    points('900 points of CPM are {"usd":0.9,"per":{"count":1000,"event":"impression"}}'),
  ),
  row(
    'points.CPC',
    'One point is 0.001 USD for a click',
    points('3 points of CPC are {"usd":0.003,"per":{"count":1,"event":"click"}}'),
  ),
  row(
    'points.0',
    'Zero points: the provider has to be asked',
    ...['CPA', 'CPC', 'CPM'].map((model) =>
      points(`zero points of ${model}: the value has to come from the provider`),
    ),
  ),
];

export const NATIVE_AREAS = [
  { title: 'Area C: the native request', rows: REQUEST },
  { title: 'Area C: the native answer', rows: AD },
  { title: 'Area C: assets', rows: ASSETS },
  { title: 'Area C: meta items and points', rows: META },
];
