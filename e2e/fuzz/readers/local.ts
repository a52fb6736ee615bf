import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMaintenance } from '../../../main/admin/maintenance';
import { openPinAttempts } from '../../../main/admin/pin-attempts';
import { openPreferences } from '../../../main/admin/preferences';
import { readJson } from '../../../main/api/routes';
import { wholeLength } from '../../../main/records/leveldb-log';
import { findSettings } from '../../../main/settings/find-settings';
import { readGraphicsHistory } from '../../../main/shell/graphics-history';
import { readSignal, SIGNAL_KINDS } from '../../../main/signals/signal-bodies';
import { silentLog } from '../../../shared/log';
import { bytesOf, type FuzzReader, JSON_WORDS, textReader } from '../fuzz-reader';

const STOPPED = { now: () => 0, monotonic: () => 0 };

/** Reads from a file, as with files of the data folder, which may be cut off or replaced by another program. */
async function onDisk<Result>(bytes: Uint8Array, read: (file: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-fuzz-'));
  try {
    const file = join(folder, 'file');
    writeFileSync(file, bytes);
    return await read(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Readers of input from the operator, programs of the store and the kiosk's own disk. */
export const LOCAL_READERS: readonly FuzzReader[] = [
  {
    name: 'signals',
    seeds: [
      '{"people":[{"ageRange":"AGE_RANGE_25_29","gender":"GENDER_FEMALE"}],"groupSize":1,"ttlSeconds":30}',
      '{"skus":["1"],"items":["milk"]}',
      '{"types":["WEATHER_TYPE_SUNNY"],"celsius":20.5}',
    ].map(bytesOf),
    words: [...JSON_WORDS, '"people":', '"gender":', '"items":', '"ttlSeconds":', '"celsius":', 'GENDER_'],
    read(bytes) {
      const json = readJson(bytes);
      return json.ok ? SIGNAL_KINDS.map((kind) => readSignal(kind, json.value)) : json;
    },
  },
  textReader({
    name: 'settings',
    seeds: [
      '{"service":{"baseUrl":"https://a.example","projectId":"p","clientId":"c","clientSecret":"s3cret"},' +
        '"playback":{"openHours":{"timeZone":"Europe/Berlin","mon-sat":"06:30-21:30"}},"signals":{"port":0}}',
      '{"service":{}}',
    ],
    words: [
      ...JSON_WORDS,
      '"service":',
      '"native":',
      '"params":',
      '"openHours":',
      'https://',
      '//',
      '06:30-',
      '-',
    ],
    // The operator's own file: the usual bound protects only against his own mistakes.
    read: (text) =>
      findSettings({
        configPath: '/kiosk.json',
        env: {},
        platform: 'linux',
        dataDir: '/data',
        readFile: async () => ({ text, readableBy: 'kiosk' }),
        openSealed: null,
      }),
    judge: (result) =>
      JSON.stringify(result).includes('s3cret') ? 'the secret is in the settings as text' : null,
  }),
  textReader({
    name: 'graphics',
    seeds: ['{"version":"1","crashes":[1],"softwareSince":null}'],
    words: [...JSON_WORDS, '"crashes":', '"softwareSince":'],
    read: readGraphicsHistory,
  }),
  {
    name: 'pin-attempts',
    seeds: [bytesOf('{"version":1,"failures":3}')],
    words: [...JSON_WORDS, '"failures":'],
    read: (bytes) => onDisk(bytes, (file) => openPinAttempts(file, STOPPED, silentLog)),
  },
  {
    name: 'maintenance',
    seeds: [bytesOf('{"version":1,"minutes":30,"until":1800000}')],
    words: [...JSON_WORDS, '"until":', '"minutes":'],
    read: (bytes) =>
      onDisk(bytes, (file) =>
        openMaintenance(file, { clock: STOPPED, schedule: () => () => {}, log: silentLog }),
      ),
  },
  {
    name: 'preferences',
    seeds: [bytesOf('{"language":"de","theme":"dark","volume":0.5}')],
    words: [...JSON_WORDS, '"volume":'],
    read: (bytes) => onDisk(bytes, (file) => openPreferences(file, 'en', silentLog)),
  },
  {
    name: 'database-log',
    seeds: [new Uint8Array(64), Uint8Array.from([0, 0, 0, 0, 3, 0, 1, 1, 2, 3])],
    words: ['\0', '\x01', '\x02', '\x03', '\x04', '\x07', '\0\0\0\0\0\0\x01'],
    mostBytes: 4_194_304,
    read: (bytes) => wholeLength(bytes),
  },
];
