import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOf, type FuzzReader } from '../fuzz-reader';
import { called } from './reading';

const SAMPLES = 'main/media/samples';
/** Only small samples: mutations are short. */
const MAX_SAMPLE_BYTES = 16_384;

const PAGE =
  '<!DOCTYPE html><html><head><meta charset="utf-8"><meta http-equiv="content-type" content="text/html">' +
  '<style>b{}</style></head><body><!-- a --><img src="data:,"><script>1</script></body></html>';

function samples(): Uint8Array[] {
  return readdirSync(SAMPLES)
    .map((name) => readFileSync(join(SAMPLES, name)))
    .filter(({ length }) => length <= MAX_SAMPLE_BYTES);
}

/** Readers of the files of creatives. */
export const MEDIA_READERS: readonly FuzzReader[] = [
  {
    name: 'page',
    seeds: [bytesOf(PAGE)],
    words: [
      ...[
        'http-equiv=',
        'http-equiv = "refresh"',
        '<meta ',
        '<meta',
        '<!--',
        '-->',
        '--',
        '<form',
        '<',
        '>',
        ' ',
      ],
      ...['<script>', '</script>', '<html', '</html>', '"', "'", '=', '\0', '&#x', 'refresh', '<base href='],
    ],
    read: called('page'),
  },
  {
    name: 'media',
    seeds: samples(),
    words: [
      ...[
        '\0\0\0\x08free',
        '\0\0\0\x10moov\0\0\0\x08trak',
        'ftypisom',
        '\0\0\0\x18ftypmp42',
        'mdat',
        'ispe',
        'iprp',
      ],
      ...['IHDR', 'IDAT', 'IEND', 'GIF89a', 'RIFF', 'WEBPVP8X', '\x1aE\xdf\xa3', ',', '!', '\0', 'JFIF'],
    ],
    read: called('media'),
  },
];
