import { readJson } from '../../../main/api/routes';
import { wholeLength } from '../../../main/records/leveldb-log';
import { writtenLog } from '../../../main/records/testing/written-log';
import { findSettings, type SettingsResult } from '../../../main/settings/find-settings';
import { readSignal } from '../../../main/signals/signal-bodies';
import { SIGNAL_KINDS } from '../../../main/signals/signal-kinds';
import { bytesOf, type FuzzReader, JSON_WORDS, textReader } from '../fuzz-reader';

/** Readers of input from the operator and programs of the store, and of what the database writes. */
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
      '{"service":{"baseUrl":"https://a.example","authUrl":"https://b.example","projectId":"p","clientId":"c","clientSecret":"s3cret"},' +
        '"playback":{"openHours":{"timeZone":"Europe/Berlin","mon-sat":"06:30-21:30"}},"signals":{"port":0}}',
      '{"service":{"baseUrl":"https://a.example"},"ads":{"authentication":"none"}}',
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
    accepts: (result) => (result as SettingsResult).kind === 'settings',
    judge: (result) =>
      JSON.stringify(result).includes('s3cret') ? 'the secret is in the settings as text' : null,
  }),
  {
    name: 'database-log',
    seeds: [[64], [0, 3, 40_000]].map(
      (lengths) => writtenLog(lengths.map((length) => new Uint8Array(length))).bytes,
    ),
    // Each has more than a header.
    accepts: (result) => (result as number) > 7,
    words: ['\0', '\x01', '\x02', '\x03', '\x04', '\x07', '\0\0\0\0\0\0\x01'],
    mostBytes: 4_194_304,
    read: (bytes) => wholeLength(bytes),
  },
];
