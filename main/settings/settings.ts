import { z } from 'zod';
import { plain } from '../../shared/plain';
import { GROUP_NAME } from '../fleet/link/topics';
import { readPublicKey } from '../fleet/signing-key';
import { BROKER_EXPECTED, isSafeBroker, readBroker } from './broker-address';
import { certificateIn, privateKeyIn } from './client-certificate';
import { asNamedContent, asNamedPath, type ReadContent, type WithFiles } from './named-file';
import { maySendUndocumented, NATIVE_SETTINGS } from './native-params';
import { foldedName } from './nearest-name';
import { casIn, hasTcpPort, isNoProxyEntry } from './network-settings';
import { isOnlinePlaceholder, ONLINE_PLACEHOLDERS, placeholdersIn } from './online-placeholders';
import { readOpenHours } from './open-hours';
import { PROOF_PLACEHOLDERS, proofUrlExpectation } from './proof-url';
import { PROXY_EXPECTED, readProxy } from './proxy-address';
import { Secret, secretIn } from './secret';
import { addressExpectation, normalAddress } from './service-address';
import {
  HEADER_NAME,
  HEADER_VALUE,
  headerIn,
  isOwnHeader,
  isOwnProofHeader,
  settingHeaders,
} from './service-headers';
import { misspeltParam, undocumentedParams } from './undocumented-params';

// Convention: the `error` of every schema is the words after "expected" in the message;
// `settings-problems.ts` adds the path and the kind of value that it found.

/** How a setting that may be changed remotely takes effect. */
export type RemoteEffect = 'live' | 'restart';

const whole = (min: number, max: number, unit: string) => {
  const error = `a whole number from ${min} to ${max}${unit === '' ? '' : ` (${unit})`}`;
  return z.int({ error }).check(z.gte(min, { error }), z.lte(max, { error }));
};
const decimal = (min: number, max: number, unit: string) => {
  const error = `a number from ${min} to ${max}${unit === '' ? '' : ` (${unit})`}`;
  return z.number({ error }).check(z.gte(min, { error }), z.lte(max, { error }));
};
const texts = new Map<number, z.ZodString>();
/** One schema for each length, because a start takes time for each schema. */
const text = (max: number): z.ZodString => {
  const error = `text of 1 to ${max} characters`;
  const made =
    texts.get(max) ?? z.string({ error }).check(z.minLength(1, { error }), z.maxLength(max, { error }));
  texts.set(max, made);
  return made;
};
const patternText = (pattern: RegExp, error: string) => z.string({ error }).regex(pattern, { error });
const listOf = <T extends z.ZodType>(entry: T, max: number, plural: string, error = `a list of ${plural}`) =>
  z.array(entry, { error }).max(max, { error: `a list of at most ${max} ${plural}` });
const yesOrNo = z.boolean({ error: 'true or false' });
const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, { error: `one of ${values.map((value) => `"${value}"`).join(', ')}` });
/** A file or folder that is read later; settings hold its absolute path. */
const fileOrFolder = text(4096).transform(asNamedPath);
/** A file that is read with the settings, which hold its content. */
const fileWith = <Content extends object>(read: ReadContent<Content>) =>
  text(4096).transform((path) => asNamedContent(path, false, read));
/** The same for a file that nobody else may read (rule 23). */
const privateFileWith = <Content extends object>(read: ReadContent<Content>) =>
  text(4096).transform((path) => asNamedContent(path, true, read));
const secretFile = (expected: string) => privateFileWith(secretIn(expected));
/** A text that settings hold as what it says. `read` returns null where it is wrong. */
const textWith = <Value>(max: number, error: string, read: (text: string) => Value | null) =>
  z
    .string({ error })
    .max(max, { error })
    .transform((text, context) => {
      const value = read(text);
      if (value === null) context.addIssue(error);
      return value ?? z.NEVER;
    });
const secret = (max: number) => text(max).transform((value) => new Secret(value));
const section = <T extends z.core.$ZodLooseShape>(shape: T) =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === 'invalid_type' ? 'an object in braces' : undefined),
  });

/** Describes a schema in place, for editors; `describe` would make another one, at each start. Only for one that is new. */
const described = <T extends z.ZodType>(schema: T, meta: z.core.GlobalMeta): T => {
  z.globalRegistry.add(schema, meta);
  return schema;
};

/** An optional setting; `about` is its description in editors. */
const setting = <T extends z.ZodType>(
  schema: T,
  byDefault: z.core.util.NoUndefined<z.core.output<T>>,
  about: string,
) => described(schema.default(byDefault), { description: about });

/** The same, but the default is read like a value of the file: for settings that hold something else than the file. */
const settingAsWritten = <T extends z.ZodType>(
  schema: T,
  byDefault: z.core.util.NoUndefined<z.core.input<T>>,
  about: string,
) => described(schema.prefault(byDefault), { description: about });

/** A setting that is null unless the settings file gives it. */
const optional = <T extends z.ZodType>(schema: T, about: string) =>
  settingAsWritten(schema.nullable(), null, about);

/**
 * An optional setting that a signed document of the fleet's operator may change too (rule 30). `live`: it
 * takes effect while the kiosk plays (`live-settings.ts`); `restart`: the player restarts. Never use it for a
 * setting that gives access to the kiosk, that names a file, an address or an account, or that says who a
 * person or a store is.
 */
const remoteSetting = <T extends z.ZodType>(
  effect: RemoteEffect,
  schema: T,
  byDefault: z.core.util.NoUndefined<z.core.output<T>>,
  about: string,
) => described(schema.default(byDefault), { description: about, remote: effect });

/** @param expectation what is wrong with an address, as the words after "expected", or null */
const addressText = (error: string, expectation: (address: string) => string | null) =>
  z
    .string({ error })
    .max(2048, { error: 'an address of at most 2048 characters' })
    .superRefine((value, context) => {
      const message = expectation(value);
      if (message !== null) context.addIssue({ code: 'custom', message });
    });
const address = addressText(
  'an http(s) address such as https://ads.example.com',
  addressExpectation,
).transform(normalAddress);

const PARAM_NAME = 'parameter names of 1 to 64 letters, digits and . _ ~ - [ ]';
const paramName = z.string().regex(/^[\w.~[\]-]{1,64}$/, { error: PARAM_NAME });
const PARAM_VALUE = 'text in quotes, or a list of texts';
const paramValue = z.union(
  [
    z.string({ error: PARAM_VALUE }).max(2048, { error: 'text of at most 2048 characters' }),
    z.array(z.string({ error: PARAM_VALUE }).max(2048)).max(64, { error: 'a list of at most 64 texts' }),
  ],
  { error: PARAM_VALUE },
);
const params = z.record(paramName, paramValue, { error: 'an object of request parameters' });

const onlineParams = params.superRefine((value, context) => {
  const message = `only these names between braces: ${ONLINE_PLACEHOLDERS.join(', ')}`;
  for (const [name, templates] of Object.entries(value))
    if (!placeholdersIn(templates).every(isOnlinePlaceholder))
      context.addIssue({ code: 'custom', path: [name], message });
});

const openHours = z
  .record(plain.text, z.string({ error: 'hours such as "07:00-21:00"' }), {
    error: 'an object with "timeZone" and days, or null',
  })
  .transform((value, context) => {
    const result = readOpenHours(value);
    if (result.kind === 'hours') return result.hours;
    for (const { key, expected } of result.errors) {
      context.addIssue({ code: 'custom', path: [key], message: expected });
    }
    return z.NEVER;
  });

const HEADER = 'a value of 1 to 4096 printable ASCII characters, or { "file": "…" }';
const headers = (isOwn: (name: string) => boolean, own: string) =>
  z
    .record(
      z
        .string()
        .regex(HEADER_NAME, { error: 'the names of HTTP headers' })
        .refine((name) => !isOwn(name), {
          error: `no header that the kiosk sets itself, such as ${own}`,
        }),
      z.union(
        [
          z.string({ error: HEADER }).max(4096, { error: HEADER }).regex(HEADER_VALUE, { error: HEADER }),
          z.strictObject({ file: privateFileWith(headerIn) }, { error: HEADER }),
        ],
        { error: HEADER },
      ),
      { error: 'an object of headers' },
    )
    .refine((value) => Object.keys(value).length <= 32, { error: 'at most 32 headers' })
    .refine(
      (value) => {
        const names = Object.keys(value).map((name) => name.toLowerCase());
        return new Set(names).size === names.length;
      },
      { error: 'each header once, whatever its case' },
    );

/** Latin-1 without control characters: what the client can send as a header. */
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;
const HEADER_TEXT_EXPECTED =
  'text that a header may hold (no control characters, no dashes or quotes but the ASCII ones)';

const Service = section({
  baseUrl: address.describe(
    'Address of the ads and inventory service, up to its /v1alpha… paths. Over http its time is never trusted: ' +
      'caps of an hour, a day or a week look back 60 minutes, 24 hours or 7 days instead of following the calendar.',
  ),
  authUrl: optional(
    address,
    'Address of the token service, up to /oauth/v2/token. Required unless ads.authentication is "none".',
  ),
  nativeUrl: optional(
    address,
    'Address of the native ad service, up to /api/v3/native. Required when native.enabled is true.',
  ),
  clientId: optional(text(512), 'Client ID of the service account.'),
  clientSecret: optional(
    secret(4096),
    'Client secret of the service account. Better kept outside: see clientSecretFile.',
  ),
  clientSecretFile: optional(
    secretFile('the client secret'),
    'File that holds the client secret, relative to this file; not readable by everybody (mode 0600, or 0640 ' +
      "with the kiosk's own group). A leading $CREDENTIALS_DIRECTORY stands for systemd's credentials.",
  ),
  projectId: optional(
    text(256).refine((value) => HEADER_TEXT.test(value.trim()), { error: HEADER_TEXT_EXPECTED }),
    'Project the inventory belongs to.',
  ),
  headers: settingAsWritten(
    headers(isOwnHeader, 'Authorization, Host or User-Agent'),
    {},
    "Extra headers of the service's own requests (token, inventory, ads, native): nativeUrl and authUrl get " +
      "them too, secret ones included, even where they are another company's host. A value may be " +
      '{ "file": "…" }, a file as in clientSecretFile: then it is a secret, and goes over https only.',
  ),
});

const Ads = section({
  delivery: remoteSetting(
    'restart',
    oneOf(['offline', 'online', 'auto']),
    'offline',
    'offline: a stored playlist; online: one request per slot, the playlist as fallback; auto: by measured health.',
  ),
  onlineAudience: remoteSetting(
    'restart',
    oneOf(['trust', 'recheck']),
    'trust',
    'trust: the service has matched the audience of online ads; recheck: judge it again by local signals.',
  ),
  authentication: setting(
    oneOf(['bearer', 'none']),
    'bearer',
    'Whether ads requests carry the access token.',
  ),
  params: setting(params, {}, 'Query of both ads requests; a list repeats its parameter.'),
  offlineParams: setting(params, { offline: 'true' }, 'Query of the playlist request.'),
  onlineParams: setting(
    onlineParams,
    {},
    `Query of the per-slot request; texts may hold ${ONLINE_PLACEHOLDERS.map((name) => `{${name}}`).join(' ')}.`,
  ),
  refreshSeconds: remoteSetting(
    'restart',
    whole(1, 86_400, 'seconds'),
    300,
    'Seconds between two playlist requests.',
  ),
  maxAgeDays: remoteSetting(
    'restart',
    decimal(0.001, 3650, 'days'),
    30,
    'Days after the last good answer for which ads without an expiry of their own play.',
  ),
  metadataExtension: setting(
    text(128),
    'service-metadata',
    'Type of the VAST extension that holds the metadata.',
  ),
  namespaceHeader: setting(
    patternText(HEADER_NAME, 'the name of an HTTP header'),
    'X-Service-Namespace',
    'Header that names the project, in inventory requests and in ads requests with a token.',
  ),
  eventTimeParam: optional(
    patternText(/^[\w.~-]{1,64}$/, 'the name of a query parameter, or null'),
    "Query parameter that carries an event's own time (RFC 3339, UTC) in tracking URLs, for example ets. With it a tracking URL that got no clear answer is requested again, so set it only where every tracker counts such a repeat once.",
  ),
  sourceWeights: remoteSetting(
    'live',
    z.record(z.string().max(256, { error: 'names of at most 256 characters' }), decimal(0, 1_000_000, ''), {
      error: 'an object of source ids and their weights',
    }),
    {},
    'Weights by source_id ("": ads without one), which share out the slots that the sources named here have together, so ' +
      'one weight alone changes nothing, unless it is 0: then the source plays only when no other can. A source that is ' +
      'not named keeps its share of the playlist; a name that no ad has is ignored.',
  ),
});

const flag = oneOf(['0', '1']);
const degrees = (limit: number) => {
  const error = `degrees from -${limit} to ${limit}, in quotes`;
  return z
    .string({ error })
    .refine((value) => /^-?\d{1,3}(\.\d{1,12})?$/.test(value) && Math.abs(Number(value)) <= limit, { error });
};

/** A parameter that is not sent unless the settings give it. */
const param = (schema: z.ZodType<string>, about: string) =>
  described(schema.optional(), { description: about });

/** The documented parameters of the native request that have no setting of their own. */
const DocumentedNativeParams = z.strictObject(
  {
    os: param(text(64), "Operating system; by default the machine's own."),
    osver: param(text(64), "Operating system version; by default the machine's own."),
    devicemodel: param(text(128), "Device model; by default the machine's own."),
    dnt: setting(flag, '1', '1: do not track; 0: tracking allowed.'),
    mf: param(text(256), 'Meta data to return, separated by commas; by default all six types.'),
    idfa: param(text(64), 'Apple advertising identifier.'),
    gid: param(text(64), 'Android advertising identifier.'),
    idfamd5: param(text(64), 'Apple advertising identifier, md5.'),
    idfasha1: param(text(64), 'Apple advertising identifier, sha1.'),
    gidmd5: param(text(64), 'Android advertising identifier, md5.'),
    gidsha1: param(text(64), 'Android advertising identifier, sha1.'),
    srvi: param(flag, '1: server-to-server integration; needs ip and ua.'),
    ua: param(
      text(1024),
      'User agent of the client device; requests, beacons and pages of native ads carry it.',
    ),
    ip: param(text(64), 'IP address of the client device.'),
    bundleid: param(text(256), 'Bundle identifier of the requesting app.'),
    locale: param(text(64), 'Locale in use.'),
    lat: param(degrees(90), 'Latitude in degrees.'),
    long: param(degrees(180), 'Longitude in degrees.'),
    gender: param(oneOf(['male', 'female', 'other']), 'Gender of the user.'),
    age: param(patternText(/^\d{1,3}$/, 'an age in years, in quotes'), 'Age of the user in years.'),
    keywords: param(text(1024), 'Keywords, separated by commas.'),
    secure: setting(text(16), 'https', '"https" asks for assets over https.'),
    coppa: param(flag, '1: the request is subject to COPPA.'),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'an object of request parameters' : undefined) },
);

const documentedNames = () => Object.keys(DocumentedNativeParams.shape);

/** What is configured under `native.params` and may be a mistake, one sentence each. */
export const undocumentedNativeParams = (params: object) =>
  undocumentedParams(
    Object.keys(params).filter((name) => maySendUndocumented(name, params)),
    documentedNames(),
  );

/**
 * Undocumented names are accepted and sent too, except those that are a documented name in another spelling.
 */
const NativeParams = DocumentedNativeParams.catchall(
  z.string({ error: 'text in quotes' }).max(2048, { error: 'text of at most 2048 characters' }),
).superRefine((value, context) => {
  const documented = documentedNames();
  for (const name of Object.keys(value)) {
    if (documented.includes(name)) continue;
    const meant = misspeltParam(name, documented);
    const own = [...NATIVE_SETTINGS].find((setting) => foldedName(setting) === foldedName(name));
    const expected =
      own !== undefined
        ? `this setting at "native.${own}"`
        : meant !== null
          ? `"${meant}"`
          : paramName.safeParse(name).success
            ? null
            : PARAM_NAME;
    if (expected !== null) context.addIssue({ code: 'custom', path: [name], message: expected });
  }
});

const Native = section({
  enabled: setting(
    yesOrNo,
    true,
    'Whether native ads are requested. Off when the whole section is left out.',
  ),
  apptoken: optional(secret(1024), "The app's token from the publisher dashboard."),
  zoneid: optional(text(128), 'Ad zone identifier; the zone must exist.'),
  al: setting(patternText(/^[sml](,[sml])*$/, '"s", "m" or "l"'), 'm', 'Ad layout: s, m or l.'),
  adcount: remoteSetting('restart', whole(1, 20, 'ads'), 3, 'Ads to ask for in one request.'),
  everySlots: remoteSetting(
    'restart',
    whole(1, 10_000, 'slots'),
    6,
    'A native ad is due after this many slots.',
  ),
  refreshSeconds: remoteSetting(
    'restart',
    whole(60, 180, 'seconds').nullable(),
    null,
    "Seconds without engagement after which a new request is made; null: 60 to 180, by the session's length, and 240 to 264 while two ads are at hand.",
  ),
  sessionIdleSeconds: remoteSetting(
    'restart',
    whole(1, 3600, 'seconds'),
    60,
    'Seconds without a touch after which a shopper session ends.',
  ),
  sendSensorDemographics: setting(
    yesOrNo,
    false,
    'Whether the sensed age and gender of a single shopper may be sent, in native requests and by ads.onlineParams. Never under params.dnt "1" or params.coppa "1".',
  ),
  params: settingAsWritten(NativeParams, {}, 'Any other parameter of the native request.'),
});

const DISPLAY = 'the number of a display from 1 to 16, its name, or null';
const Playback = section({
  imageSeconds: remoteSetting(
    'restart',
    decimal(0.1, 3600, 'seconds'),
    10,
    'Seconds that an image or page without a duration of its own stays, and the card of a native ad (3 at least).',
  ),
  volume: remoteSetting(
    'restart',
    decimal(0, 1, '0 is silent, 1 is full'),
    0,
    'Sound of videos, 0 (silent) to 1 (full). Once somebody chose another in the overlay, or by the command volume, that one holds until "As in the settings" is chosen there, or "volume auto" is sent.',
  ),
  rotation: setting(
    z.literal([0, 90, 180, 270], { error: '0, 90, 180 or 270 (degrees)' }),
    0,
    'Degrees clockwise by which the picture is turned. A web page behind a tap is turned with it; a window that such a page opens is not. Where the operating system can turn the display itself, do that instead.',
  ),
  display: optional(
    z.union([whole(1, 16, ''), text(128)], { error: DISPLAY }),
    'Which of several displays the kiosk covers: its number, counted from 1 from left to right and then from top to bottom, or its name as the system reports it. Null: the primary one. Under Wayland the compositor decides.',
  ),
  houseDir: optional(
    fileOrFolder,
    'Folder of house creatives for when no ad may play: pictures (JPEG, PNG, WebP, AVIF, GIF), videos (MP4, WebM) and pages without a network (.html); at most 1,000 files and folders. Relative to this file.',
  ),
  kiosk: setting(yesOrNo, true, 'Full screen and locked down; false opens an ordinary window.'),
  openHours: remoteSetting(
    'live',
    openHours.nullable(),
    null,
    'Opening hours by the store clock, which the overlay shows; outside them no ad plays and the brand card is on the screen. Example: { "timeZone": "Europe/Berlin", "mon-sat": "07:00-21:00" }. ' +
      'Days: "mon", "mon-fri" or "sat,sun"; one that is not named is closed. Hours: several with commas, past midnight "20:00-02:00", all day "00:00-24:00". Null: always open.',
  ),
  autostart: optional(
    yesOrNo,
    'Whether the kiosk starts with the session of a desktop; null: as chosen in the overlay. A packaged kiosk is started by its service.',
  ),
  restartAt: remoteSetting(
    'live',
    patternText(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'a time of day such as "04:00", or null')
      .transform((text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3)))
      .nullable(),
    null,
    'Time of a quiet restart every night, such as "04:00", at most ten minutes later and once nobody uses the kiosk, by the clock of openHours, or else of display.power, or else of the machine. None while the settings file cannot be used or the disk is full; null: none, but to try graphics hardware again a day after it crashed.',
  ),
});

const Display = section({
  power: remoteSetting(
    'restart',
    openHours.nullable(),
    null,
    'When the display itself is on, by the store clock, for example { "timeZone": "Europe/Berlin", "mon-sat": "06:30-21:30" }; outside these hours it is switched off. Null: it is left alone.',
  ),
});

const Media = section({
  quotaBytes: setting(whole(0, 2 ** 50, 'bytes'), 8_589_934_592, 'Bytes the media cache may hold.'),
  minFreeBytes: setting(
    whole(0, 2 ** 50, 'bytes'),
    1_073_741_824,
    'Bytes of disk that creatives leave free; at least 2 % of the disk or 2 GiB, whichever is less, because below half of that no play can be stored.',
  ),
});

const HOST = '"host" or "host:port"';
const hostName = patternText(
  /^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9]([A-Za-z0-9._-]{0,252}[A-Za-z0-9])?)(:([1-9]\d{0,4}))?$/,
  HOST,
).refine(hasTcpPort, { error: HOST });
const NO_PROXY = '"host", "host:port", ".domain" or "10.0.0.0/8"';
const Network = section({
  allowPrivateHosts: setting(
    listOf(hostName, 256, 'hosts', 'a list of "host" or "host:port"'),
    [],
    "Hosts that ads' URLs may reach although they are in a private network or the kiosk's own, or use a port that is not the web's.",
  ),
  proxy: optional(
    textWith(2048, PROXY_EXPECTED, readProxy),
    'The forward proxy that everything goes through: "http://user:password@host:port", "system" (the one that the system\'s settings or http_proxy and https_proxy name; a PAC script is not read), or null.',
  ),
  noProxy: setting(
    listOf(
      z.string({ error: NO_PROXY }).max(300, { error: NO_PROXY }).refine(isNoProxyEntry, { error: NO_PROXY }),
      256,
      'hosts',
    ),
    [],
    'Hosts that are reached without the proxy: "host", "host:port", ".domain" (all below it) or "10.0.0.0/8" (addresses only). This machine itself always is.',
  ),
  caFile: optional(
    fileWith(casIn),
    'PEM file of CAs that are trusted besides the usual ones, relative to this file: for a proxy that inspects TLS, or a service with a CA of its own.',
  ),
});

const Store = section({
  storeId: optional(text(256), 'The store, as reports name it.'),
  zone: optional(text(256), 'The part of the store that the kiosk stands in.'),
  screenId: optional(text(256), 'The screen, as reports name it.'),
  labels: setting(
    z
      .record(
        z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, { error: 'names of 1 to 64 letters, digits and . _ -' }),
        text(256),
        { error: 'an object of names and texts' },
      )
      .refine((value) => Object.keys(value).length <= 32, { error: 'at most 32 labels' }),
    {},
    'Further names and values by which reports distinguish screens.',
  ),
});

const Proof = section({
  url: optional(
    addressText('an http(s) address, or null', proofUrlExpectation),
    `Where proof of play is sent, one request for each segment; it may hold ${PROOF_PLACEHOLDERS.map((name) => `{${name}}`).join(' ')}. Null: it stays on the kiosk.`,
  ),
  method: setting(
    oneOf(['POST', 'PUT']),
    'POST',
    "POST: for a gateway or ClickHouse's HTTP interface; PUT: for an object store.",
  ),
  headers: settingAsWritten(
    headers(isOwnProofHeader, 'Content-Encoding, Host or User-Agent'),
    {},
    'Headers of these requests, such as Authorization. A value may be { "file": "…" }, as in service.headers.',
  ),
  clientCertFile: optional(
    fileWith(certificateIn),
    'PEM file of the certificate that the kiosk shows to the receiver, with its chain; relative to this file.',
  ),
  clientKeyFile: optional(
    privateFileWith(privateKeyIn),
    "PEM file of the certificate's private key, without a passphrase; not readable by everybody, as in service.clientSecretFile.",
  ),
  everySeconds: remoteSetting(
    'restart',
    whole(1, 86_400, 'seconds'),
    900,
    'Seconds between two segments. Each kiosk has a moment of its own in this time.',
  ),
  maxRows: remoteSetting(
    'restart',
    whole(1, 10_000, 'rows'),
    5000,
    'Rows that one segment holds at most; fewer where they exceed 12 MB before compression.',
  ),
});

const BROKER_WITH_TLS =
  'mqtts:// or wss:// (without TLS only on this machine itself, because the password, commands and the state of the kiosk go there)';
const TOPIC_PREFIX = 'topic levels of letters, digits and . _ - with "/" between, 100 characters at most';
const COMMAND_KEY = 'a public key as `endcap fleet keys` prints it ("ed25519:…")';

const Fleet = section({
  brokers: settingAsWritten(
    listOf(
      textWith(2048, BROKER_EXPECTED, readBroker).refine(isSafeBroker, { error: BROKER_WITH_TLS }),
      16,
      'addresses',
    ),
    [],
    'MQTT brokers of the fleet; the kiosk connects to one of them: "mqtts://host:port" or "wss://host:port/path"; on this machine also "mqtt://" and "ws://". Empty: the kiosk has no live link.',
  ),
  username: optional(text(256), 'User name at the broker.'),
  passwordFile: optional(
    secretFile('the password'),
    'File that holds the password at the broker, as in service.clientSecretFile.',
  ),
  clientCertFile: optional(
    fileWith(certificateIn),
    'PEM file of the certificate that the kiosk shows to the broker, with its chain; relative to this file.',
  ),
  clientKeyFile: optional(
    privateFileWith(privateKeyIn),
    "PEM file of the certificate's private key, as in proof.clientKeyFile.",
  ),
  topicPrefix: setting(
    patternText(/^(?=.{1,100}$)[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/, TOPIC_PREFIX),
    'endcap',
    'What all topics begin with.',
  ),
  groups: setting(
    listOf(patternText(GROUP_NAME, 'names of 1 to 64 letters, digits and . _ -'), 16, 'names').refine(
      (value) => new Set(value).size === value.length,
      { error: 'each name once' },
    ),
    [],
    'Groups that the kiosk belongs to: it obeys commands to them.',
  ),
  commandKeys: settingAsWritten(
    listOf(textWith(200, COMMAND_KEY, readPublicKey), 16, 'keys', 'a list of public keys'),
    [],
    'Keys whose commands the kiosk obeys, as `endcap fleet keys` prints them. Empty: it obeys none.',
  ),
  homeAssistant: setting(
    yesOrNo,
    false,
    'Whether the kiosk makes itself known to Home Assistant (MQTT discovery). Entities only show: nothing can be switched there.',
  ),
});

const Admin = section({
  pinHash: optional(
    patternText(
      /^scrypt\$[\x21-\x7e]{1,512}$/,
      'what `endcap pin` prints (it starts with "scrypt$")',
    ).transform((value) => new Secret(value)),
    'Hash of the PIN that unlocks the overlay, as `endcap pin` prints it; without it nobody can act in the overlay.',
  ),
  gesture: settingAsWritten(
    section({
      corner: setting(
        oneOf(['top-left', 'top-right', 'bottom-left', 'bottom-right']),
        'top-left',
        'Corner of the picture that is tapped to open the overlay.',
      ),
      taps: setting(whole(3, 10, 'taps'), 5, 'How often it is tapped.'),
      withinSeconds: setting(decimal(1, 10, 'seconds'), 3, 'Time from the first tap to the last.'),
    }),
    {},
    'The hidden gesture that opens the overlay on a touch screen.',
  ),
  shortcut: setting(
    patternText(
      /^(?=.*(?:Ctrl|Alt|Meta)\+)(?:(?:Ctrl|Alt|Shift|Meta)\+){1,4}(?:F(?:[1-9]|1\d|2[0-4])|[A-Z0-9])$/,
      'a key with Ctrl, Alt or Meta such as "Ctrl+Shift+F12", or null',
    ).nullable(),
    'Ctrl+Shift+F12',
    'The keys that open the overlay; null: none.',
  ),
});

const Signals = section({
  port: setting(whole(0, 65_535, ''), 9777, 'Loopback port of the local API; 0 picks a free one.'),
  tokenGroup: optional(
    patternText(/^[\w.-]{1,64}$/, 'the name of a group such as "prometheus", or null'),
    'Group that the file signals-token gets, for example that of a metrics agent; the user that the kiosk runs as must be a member of it. Null: the group stays.',
  ),
  tokenMode: setting(
    oneOf(['0600', '0640']),
    '0600',
    '0640: the group may read signals-token, and pass through the data folder to it. 0600: the kiosk gives nobody else access, and takes none back that was given before; for that, run chmod 600 on the file.',
  ),
});

const Ui = section({
  language: remoteSetting(
    'restart',
    patternText(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'a language tag such as "en"'),
    'en',
    'Language of what shoppers and staff read: "en" or "de"; with any other they read English.',
  ),
  reducedMotion: setting(
    yesOrNo,
    false,
    'Tells all pages that less motion is preferred (prefers-reduced-motion); our own pages show none.',
  ),
  speech: remoteSetting(
    'restart',
    oneOf(['off', 'headphones']),
    'off',
    'Native ads and the pages behind a tap are read out while headphones are plugged in; needs espeak-ng.',
  ),
});

/** The settings file. What it accepts is written out as JSON Schema in `settings.schema.json`. */
export const SettingsFile = section({
  $schema: z.string({ error: 'text' }).max(2048).optional().describe('For editors; ignored.'),
  service: Service,
  ads: Ads.prefault({}),
  native: Native.prefault({ enabled: false }),
  playback: Playback.prefault({}),
  display: Display.prefault({}),
  media: Media.prefault({}),
  network: Network.prefault({}),
  store: Store.prefault({}),
  proof: Proof.prefault({}),
  fleet: Fleet.prefault({}),
  admin: Admin.prefault({}),
  signals: Signals.prefault({}),
  ui: Ui.prefault({}),
}).describe('Settings of an Endcap kiosk.');

/** The settings file with the content of the files that it names. */
type LoadedSettingsFile = WithFiles<z.output<typeof SettingsFile>>;

/**
 * What the operator configured, checked and complete. Secrets are `Secret`s,
 * addresses have one spelling without a slash at the end, and
 * `service.clientSecret` and the headers hold the values wherever they came from.
 */
export type Settings = Readonly<ReturnType<typeof inForce>>;

/**
 * Moves secrets, headers and CAs to their place in `Settings`, whether they came from the settings or from
 * files.
 */
export function inForce({ $schema: _editor, service, network, proof, fleet, ...rest }: LoadedSettingsFile) {
  const { clientSecretFile, headers, ...account } = service;
  const { caFile, ...routes } = network;
  const { headers: proofHeaders, clientCertFile: cert, clientKeyFile: key, ...shipping } = proof;
  const { passwordFile, clientCertFile: linkCert, clientKeyFile: linkKey, ...link } = fleet;
  return {
    ...rest,
    service: {
      ...account,
      clientSecret: clientSecretFile ?? account.clientSecret,
      headers: settingHeaders(headers),
    },
    network: {
      ...routes,
      /** What `network.caFile` holds, each as PEM. */
      additionalCas: caFile ?? [],
    },
    proof: {
      ...shipping,
      headers: settingHeaders(proofHeaders),
      /** Null: the kiosk shows none. */
      clientCertificate: cert && key && { cert: cert.pem, key: key.pem },
    },
    fleet: {
      ...link,
      /** Null: none. */
      password: passwordFile,
      /** Null: the kiosk shows none. */
      clientCertificate: linkCert && linkKey && { cert: linkCert.pem, key: linkKey.pem },
    },
  };
}

/** The credentials for a token, and the project it is used for. */
export type ServiceAccount = NonNullable<ReturnType<typeof serviceAccount>>;

/** The service account, or null on a kiosk that needs none (`ads.authentication: "none"`). */
export function serviceAccount(settings: Settings) {
  const { authUrl, clientId, clientSecret, projectId } = settings.service;
  if (authUrl === null || clientId === null || clientSecret === null || projectId === null) return null;
  return { authUrl, clientId, clientSecret, projectId };
}

/** The JSON Schema of the settings file, for editors and configuration tools. */
export function settingsJsonSchema(): unknown {
  return z.toJSONSchema(SettingsFile, { io: 'input' });
}
