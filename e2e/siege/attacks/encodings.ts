import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Attack, AttackContext } from '../attack';
import { adAt } from '../good-ads';
import type { HeardRequest } from '../hostile-service';

type Place = 'ads' | 'media' | 'native';
const PATHS: Readonly<Record<Place, (request: HeardRequest) => boolean>> = {
  ads: ({ path }) => path === '/v1alpha2/ads',
  media: ({ path }) => path.startsWith('/hostile/'),
  native: ({ path }) => path === '/api/v3/native',
};
const PLACES: readonly Place[] = ['ads', 'media', 'native'];
const TYPES: Readonly<Record<Place, string>> = {
  ads: 'application/xml',
  media: 'image/png',
  native: 'application/json',
};

/** How long the playlist stays good, ms: the kiosk needs it to learn the files. */
const PLAYLIST_AFTER_MS = 4_000;

/** Answers files and native requests, and later the playlist too, with these bytes under this `Content-Encoding`. */
function encoded(field: AttackContext, encoding: string, body: Buffer): void {
  const since = performance.now();
  field.service.answer((request, response) => {
    const place = PLACES.find((each) => PATHS[each](request));
    if (place === undefined || (place === 'ads' && request.at - since < PLAYLIST_AFTER_MS)) return false;
    response.writeHead(200, {
      'content-type': TYPES[place],
      'content-encoding': encoding,
      'content-length': body.length,
    });
    response.end(body);
    return true;
  });
  const { origin } = field.service;
  field.serve(
    [1, 2, 3].map((number) => {
      const id = `${field.once}-encoded-${number}`;
      return adAt(origin, id, `${origin}/hostile/${id}.png`, 'image/png');
    }),
  );
}

/** An empty stored block of DEFLATE; it decodes to nothing. */
const EMPTY_BLOCK = Buffer.from('000000ffff', 'hex');
const GZIP_HEADER = Buffer.from('1f8b08000000000000ff', 'hex');
const MEMBERS = 1_000;

/**
 * A body in five layers of gzip, the innermost with terabytes of empty blocks. Consecutive gzip members
 * decode as one stream, so each layer decodes to a thousand times its content.
 */
function layersOfNothing(): Buffer {
  const blocks = Buffer.concat(new Array<Buffer>(100_000).fill(EMPTY_BLOCK));
  let first = Buffer.concat([GZIP_HEADER, blocks]);
  let more: Buffer = blocks;
  for (let layer = 0; layer < 3; layer += 1) {
    more = Buffer.concat(new Array<Buffer>(MEMBERS).fill(gzipSync(more)));
    first = Buffer.concat([gzipSync(first), more]);
  }
  return gzipSync(first, { level: 9 });
}

/** Bodies that grow, or never end, while they are decoded (rule 31). */
export const ENCODINGS: readonly Attack[] = [
  {
    name: 'gzip five times, the innermost layer decodes to nothing',
    row: 3,
    seconds: 10,
    begin(field) {
      return encoded(field, 'gzip, gzip, gzip, gzip, gzip', layersOfNothing());
    },
  },
  {
    name: 'a gzip bomb of 256 MB',
    row: 3,
    seconds: 8,
    begin: (field) => encoded(field, 'gzip', gzipSync(Buffer.alloc(256_000_000, 0x20), { level: 1 })),
  },
  {
    name: 'encodings that are unknown, mixed, wrong or cut off',
    row: 3,
    seconds: 6,
    begin: (field) =>
      encoded(
        field,
        field.pick(['br, gzip', 'zstd', 'deflate, deflate, br', 'x-unknown', 'gzip', 'identity, gzip', ',']),
        field.pick([
          brotliCompressSync(Buffer.alloc(1_000_000)),
          gzipSync('<VAST version="4.2"/>').subarray(0, 25),
          Buffer.from('<VAST version="4.2"/>'),
        ]),
      ),
  },
];
