import { z } from 'zod';
import { isOnlinePlaceholder, ONLINE_PLACEHOLDERS, templatePieces } from './online-placeholders';
import { readOpenHours } from './open-hours';
import { Secret } from './secret';
import { addressFault, normalAddress } from './service-address';

// Convention: the `error` of every piece is the words after "expected" in a
// fault's message; `settings-problems.ts` adds the path and what was found.

const whole = (min: number, max: number, unit: string) => {
  const error = `a whole number from ${min} to ${max}${unit === '' ? '' : ` (${unit})`}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};
const decimal = (min: number, max: number, unit: string) => {
  const error = `a number from ${min} to ${max}${unit === '' ? '' : ` (${unit})`}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
};
const text = (max: number) => {
  const error = `text of 1 to ${max} characters`;
  return z.string({ error }).min(1, { error }).max(max, { error });
};
const patternText = (pattern: RegExp, error: string) => z.string({ error }).regex(pattern, { error });
const yesOrNo = () => z.boolean({ error: 'true or false' });
const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, { error: `one of ${values.map((value) => `"${value}"`).join(', ')}` });
const secret = (max: number) => text(max).transform((value) => new Secret(value));
const section = <T extends z.core.$ZodLooseShape>(shape: T) =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === 'invalid_type' ? 'an object in braces' : undefined),
  });

const address = () =>
  z
    .string({ error: 'an http(s) address such as https://ads.example.com' })
    .max(2048, { error: 'an address of at most 2048 characters' })
    .superRefine((value, context) => {
      const fault = addressFault(value);
      if (fault !== null) context.addIssue({ code: 'custom', message: fault });
    })
    .transform((value) => normalAddress(value));

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
const params = () => z.record(paramName, paramValue, { error: 'an object of request parameters' });

const onlineParams = () =>
  params().superRefine((value, context) => {
    for (const [name, templates] of Object.entries(value)) {
      for (const piece of [templates].flat().flatMap((template) => templatePieces(template))) {
        if (piece.kind === 'placeholder' && !isOnlinePlaceholder(piece.name)) {
          context.addIssue({
            code: 'custom',
            path: [name],
            message: `only these names between braces: ${ONLINE_PLACEHOLDERS.join(', ')}`,
          });
        }
      }
    }
  });

const openHours = () =>
  z
    .record(z.string(), z.string({ error: 'hours such as "07:00-21:00"' }), {
      error: 'an object with "timeZone" and days, or null',
    })
    .transform((value, context) => {
      const result = readOpenHours(value);
      if (result.kind === 'hours') return result.hours;
      for (const fault of result.faults) {
        context.addIssue({ code: 'custom', path: [fault.key], message: fault.expected });
      }
      return z.NEVER;
    });

const Service = section({
  baseUrl: address().describe('Address of the ads and inventory service, up to its /v1alpha… paths.'),
  authUrl: address()
    .nullable()
    .default(null)
    .describe(
      'Address of the token service, up to /oauth/v2/token. Required unless ads.authentication is "none".',
    ),
  nativeUrl: address()
    .nullable()
    .default(null)
    .describe(
      'Address of the native ad service, up to /api/v3/native. Required when native.enabled is true.',
    ),
  clientId: text(512).nullable().default(null).describe('Client ID of the service account.'),
  clientSecret: secret(4096)
    .nullable()
    .default(null)
    .describe('Client secret of the service account. Better kept outside: see clientSecretFile.'),
  clientSecretFile: text(4096)
    .nullable()
    .default(null)
    .describe(
      'File that holds the client secret, relative to this file; not readable by everybody (mode 0600, or 0640 ' +
        "with the kiosk's own group). A leading $CREDENTIALS_DIRECTORY stands for systemd's credentials.",
    ),
  projectId: text(256).nullable().default(null).describe('Project the inventory belongs to.'),
});

const Ads = section({
  delivery: oneOf(['offline', 'online', 'auto'])
    .default('offline')
    .describe(
      'offline: a stored playlist; online: one request per slot, the playlist as fallback; auto: by measured health.',
    ),
  authentication: oneOf(['bearer', 'none'])
    .default('bearer')
    .describe('Whether ads requests carry the access token.'),
  params: params().default({}).describe('Query of both ads requests; a list repeats its parameter.'),
  offlineParams: params().default({ offline: 'true' }).describe('Query of the playlist request.'),
  onlineParams: onlineParams()
    .default({})
    .describe(
      `Query of the per-slot request; texts may hold ${ONLINE_PLACEHOLDERS.map((name) => `{${name}}`).join(' ')}.`,
    ),
  refreshSeconds: whole(1, 86_400, 'seconds').default(300).describe('Seconds between two playlist requests.'),
  maxAgeDays: decimal(0.001, 3650, 'days')
    .default(30)
    .describe('Days after the last good answer for which ads without an expiry of their own play.'),
  metadataExtension: text(128)
    .default('service-metadata')
    .describe('Type of the VAST extension that holds the metadata.'),
  namespaceHeader: patternText(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'the name of an HTTP header')
    .default('X-Service-Namespace')
    .describe('Header that names the project in inventory requests.'),
  eventTimeParam: patternText(/^[\w.~-]{1,64}$/, 'the name of a query parameter, or null')
    .nullable()
    .default(null)
    .describe(
      "Query parameter that carries an event's own time (RFC 3339, UTC) in tracking URLs, for example ets.",
    ),
  sourceWeights: z
    .record(text(256), decimal(0, 1_000_000, ''), { error: 'an object of source ids and their weights' })
    .default({})
    .describe("Weight of each source_id in the source mix; empty: each source's share of the playlist."),
});

const flag = () => oneOf(['0', '1']);
const degrees = (limit: number) =>
  z.string().refine((value) => /^-?\d{1,3}(\.\d{1,12})?$/.test(value) && Math.abs(Number(value)) <= limit, {
    error: `degrees from -${limit} to ${limit}, in quotes`,
  });

/** The documented parameters of the native request that have no setting of their own. */
const NativeParams = z.strictObject(
  {
    os: text(64).optional().describe("Operating system; by default the machine's own."),
    osver: text(64).optional().describe("Operating system version; by default the machine's own."),
    devicemodel: text(128).optional().describe("Device model; by default the machine's own."),
    dnt: flag().default('1').describe('1: do not track; 0: tracking allowed.'),
    mf: text(256).optional().describe('Meta data to return, separated by commas; by default all six types.'),
    idfa: text(64).optional().describe('Apple advertising identifier.'),
    gid: text(64).optional().describe('Android advertising identifier.'),
    idfamd5: text(64).optional().describe('Apple advertising identifier, md5.'),
    idfasha1: text(64).optional().describe('Apple advertising identifier, sha1.'),
    gidmd5: text(64).optional().describe('Android advertising identifier, md5.'),
    gidsha1: text(64).optional().describe('Android advertising identifier, sha1.'),
    srvi: flag().optional().describe('1: server-to-server integration; needs ip and ua.'),
    ua: text(1024).optional().describe('User agent of the client device.'),
    ip: text(64).optional().describe('IP address of the client device.'),
    bundleid: text(256).optional().describe('Bundle identifier of the requesting app.'),
    locale: text(64).optional().describe('Locale in use.'),
    lat: degrees(90).optional().describe('Latitude in degrees.'),
    long: degrees(180).optional().describe('Longitude in degrees.'),
    gender: oneOf(['male', 'female', 'other']).optional().describe('Gender of the user.'),
    age: patternText(/^\d{1,3}$/, 'an age in years, in quotes')
      .optional()
      .describe('Age of the user in years.'),
    keywords: text(1024).optional().describe('Keywords, separated by commas.'),
    secure: text(16).default('https').describe('"https" asks for assets over https.'),
    coppa: flag().optional().describe('1: the request is subject to COPPA.'),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'an object of request parameters' : undefined) },
);

const Native = section({
  enabled: yesOrNo()
    .default(true)
    .describe('Whether native ads are requested. Off when the whole section is left out.'),
  apptoken: secret(1024).nullable().default(null).describe("The app's token from the publisher dashboard."),
  zoneid: text(128).nullable().default(null).describe('Ad zone identifier; the zone must exist.'),
  al: patternText(/^[sml](,[sml])*$/, '"s", "m" or "l"')
    .default('m')
    .describe('Ad layout: s, m or l.'),
  adcount: whole(1, 20, 'ads').default(3).describe('Ads to ask for in one request.'),
  everySlots: whole(1, 10_000, 'slots').default(6).describe('A native ad is due after this many slots.'),
  refreshSeconds: whole(60, 180, 'seconds')
    .default(90)
    .describe('Seconds without engagement after which a new request is made.'),
  sessionIdleSeconds: whole(1, 3600, 'seconds')
    .default(60)
    .describe('Seconds without a touch after which a shopper session ends.'),
  sendSensorDemographics: yesOrNo()
    .default(false)
    .describe('Whether the sensed gender of a single shopper may be sent.'),
  params: NativeParams.prefault({}).describe('Any other documented parameter of the native request.'),
});

const Playback = section({
  imageSeconds: decimal(0.1, 3600, 'seconds')
    .default(10)
    .describe('Seconds that an image without a duration of its own stays.'),
  volume: decimal(0, 1, '0 is silent, 1 is full')
    .default(0)
    .describe('Sound of videos, 0 (silent) to 1 (full).'),
  rotation: z
    .literal([0, 90, 180, 270], { error: '0, 90, 180 or 270 (degrees)' })
    .default(0)
    .describe(
      'Degrees clockwise by which the picture is turned. A web page behind a tap is drawn by the browser and not turned with it: where native ads are tapped, leave this at 0 and turn the display itself in the operating system.',
    ),
  houseDir: text(4096)
    .nullable()
    .default(null)
    .describe('Folder of house creatives for when no ad may play; relative to this file.'),
  kiosk: yesOrNo().default(true).describe('Full screen and locked down; false opens an ordinary window.'),
  openHours: openHours()
    .nullable()
    .default(null)
    .describe(
      'Opening hours by the store clock, for example { "timeZone": "Europe/Berlin", "mon-sat": "07:00-21:00" }.',
    ),
  autostart: yesOrNo()
    .nullable()
    .default(null)
    .describe(
      'Whether the kiosk starts with the session of a desktop; null: as chosen in the overlay. A packaged kiosk is started by its service.',
    ),
  restartAt: patternText(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'a time of day such as "04:00", or null')
    .transform((text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3)))
    .nullable()
    .default(null)
    .describe(
      'Time of a quiet restart every night, once nobody uses the kiosk, by the clock of openHours or else of the machine; null: none.',
    ),
});

const Media = section({
  quotaBytes: whole(0, 2 ** 50, 'bytes')
    .default(8_589_934_592)
    .describe('Bytes the media cache may hold.'),
  minFreeBytes: whole(0, 2 ** 50, 'bytes')
    .default(1_073_741_824)
    .describe('Bytes of disk that stay free.'),
});

const hostName = patternText(
  /^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9]([A-Za-z0-9._-]{0,252}[A-Za-z0-9])?)(:([1-9]\d{0,4}))?$/,
  '"host" or "host:port"',
);
const Network = section({
  allowPrivateHosts: z
    .array(hostName, { error: 'a list of "host" or "host:port"' })
    .max(256, { error: 'a list of at most 256 hosts' })
    .default([])
    .describe("Hosts inside private address ranges that ads' URLs may reach."),
});

const Admin = section({
  pinHash: patternText(/^scrypt\$[\x21-\x7e]{1,512}$/, 'what `npm run pin` prints (it starts with "scrypt$")')
    .transform((value) => new Secret(value))
    .nullable()
    .default(null)
    .describe('Hash of the PIN that unlocks the overlay; without it the overlay only shows.'),
  gesture: section({
    corner: oneOf(['top-left', 'top-right', 'bottom-left', 'bottom-right'])
      .default('top-left')
      .describe('Corner of the picture that is tapped to open the overlay.'),
    taps: whole(3, 10, 'taps').default(5).describe('How often it is tapped.'),
    withinSeconds: decimal(1, 10, 'seconds').default(3).describe('Time from the first tap to the last.'),
  })
    .prefault({})
    .describe('The hidden gesture that opens the overlay on a touch screen.'),
  shortcut: patternText(
    /^(?=.*(?:Ctrl|Alt|Meta)\+)(?:(?:Ctrl|Alt|Shift|Meta)\+){1,4}(?:F(?:[1-9]|1\d|2[0-4])|[A-Z0-9])$/,
    'a key with Ctrl, Alt or Meta such as "Ctrl+Shift+F12", or null',
  )
    .nullable()
    .default('Ctrl+Shift+F12')
    .describe('The keys that open the overlay; null: none.'),
});

const Signals = section({
  port: whole(0, 65_535, '').default(9777).describe('Loopback port of the signals API; 0 picks a free one.'),
});

const Ui = section({
  language: patternText(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'a language tag such as "en"')
    .default('en')
    .describe('Language of what shoppers and staff read.'),
});

/** The settings file. What it accepts is written out as JSON Schema in `settings.schema.json`. */
export const SettingsFile = section({
  $schema: z.string().max(2048).optional().describe('For editors; ignored.'),
  service: Service,
  ads: Ads.prefault({}),
  native: Native.prefault({ enabled: false }),
  playback: Playback.prefault({}),
  media: Media.prefault({}),
  network: Network.prefault({}),
  admin: Admin.prefault({}),
  signals: Signals.prefault({}),
  ui: Ui.prefault({}),
}).describe('Settings of an Endcap kiosk.');

type ReadFile = z.output<typeof SettingsFile>;

/**
 * What the operator configured, checked and complete. Secrets are `Secret`s,
 * addresses have one spelling without a slash at the end, and
 * `service.clientSecret` holds the secret wherever it came from.
 */
export interface Settings extends Omit<ReadFile, '$schema' | 'service'> {
  readonly service: Omit<ReadFile['service'], 'clientSecretFile'>;
}

/** What a token is obtained with, and the project it is used for. */
export interface ServiceAccount {
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly projectId: string;
}

/** The service account, or null on a kiosk that needs none (`ads.authentication: "none"`). */
export function serviceAccount(settings: Settings): ServiceAccount | null {
  const { authUrl, clientId, clientSecret, projectId } = settings.service;
  if (authUrl === null || clientId === null || clientSecret === null || projectId === null) return null;
  return { authUrl, clientId, clientSecret, projectId };
}

/** The JSON Schema of the settings file, for editors and configuration tools. */
export function settingsJsonSchema(): unknown {
  return z.toJSONSchema(SettingsFile, { io: 'input' });
}
