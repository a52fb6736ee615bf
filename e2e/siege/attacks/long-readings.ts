import type { Attack, AttackContext } from '../attack';
import { type ColourName, css } from '../colours';
import { adAt } from '../good-ads';

const KB = 1_000;

/** Serves an ad with this file; the kiosk downloads and checks it during the attack. */
function hostileFile(
  { serve, file, once, service }: AttackContext,
  name: string,
  body: Buffer | string,
  type: string,
): void {
  const id = `${once}-${name.replace('.', '-')}`;
  serve([adAt(service.origin, id, file(`${once}-${name}`, body, type), type)]);
}

/** Answers requests of one path with this whole answer. */
function answerWith(
  { service }: AttackContext,
  path: string,
  { status = 200, type, body }: { status?: number; type: string; body: string | Buffer },
): void {
  const bytes = Buffer.from(body);
  service.answerAt(path, (_request, response) => {
    response.writeHead(status, { 'content-type': type, 'content-length': bytes.length });
    response.end(bytes);
  });
}
const ADS = '/v1alpha2/ads';
const xml = (field: AttackContext, body: string | Buffer) =>
  answerWith(field, ADS, { type: 'application/xml', body });

/** A media file of boxes nested down to the last byte. */
function nestedBoxes(bytes: number): Buffer {
  const file = Buffer.alloc(bytes);
  file.writeUInt32BE(24, 0);
  file.write('ftypisom\0\0\x02\0isommp42', 4, 'latin1');
  for (let at = 24; at + 8 <= bytes; at += 8) {
    file.writeUInt32BE(bytes - at, at);
    file.write(at === 24 ? 'moov' : 'trak', at + 4, 'latin1');
  }
  return file;
}

/** Forty tracks of twenty thousand empty boxes each, for readers that visit every box. */
function manyBoxes(): Buffer {
  const box = (name: string, content: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + content.length, 0);
    head.write(name, 4, 'latin1');
    return Buffer.concat([head, content]);
  };
  const empty = Buffer.concat(new Array<Buffer>(19_000).fill(box('mdia', Buffer.alloc(0))));
  const tracks = Buffer.concat(new Array<Buffer>(40).fill(box('trak', empty)));
  return Buffer.concat([nestedBoxes(24), box('moov', tracks)]);
}

const page = (inside: string, colour: ColourName = 'forbidden') =>
  `<!doctype html><html><head>${inside}</head><body style="background:${css(colour)}"></body></html>`;

/** Inputs that are slow or large to read (rule 31). */
export const LONG_READINGS: readonly Attack[] = [
  {
    name: 'a page of `http-equiv=` and spaces, or of `<!--`, 205 KB',
    row: 4,
    seconds: 8,
    begin: (field) =>
      hostileFile(
        field,
        'slow.html',
        page(
          field.pick([
            `<meta ${`http-equiv=${' '.repeat(80)}`.repeat(2_250)}`,
            `<meta http-equiv=${' '.repeat(205 * KB)}`,
            '<!--'.repeat(51_000),
          ]),
          // The page leads nowhere, so it may be shown once it is read.
          'hostile',
        ),
        'text/html',
      ),
  },
  {
    name: 'an MP4 of nested or countless boxes, 6.4 MB',
    row: 12,
    seconds: 8,
    begin: (field) =>
      hostileFile(
        field,
        'boxes.mp4',
        field.random() < 0.3 ? nestedBoxes(6_400 * KB) : manyBoxes(),
        'video/mp4',
      ),
  },
  {
    name: 'an error message `eyJ-eyJ-…`, 256 KB',
    row: 13,
    seconds: 6,
    begin: (field) =>
      answerWith(field, field.pick([ADS, '/oauth/v2/token', '/api/v3/native', ADS]), {
        status: field.pick([400, 403, 500]),
        type: 'application/json',
        body: JSON.stringify({ code: 3, message: 'eyJ-'.repeat(64 * KB), error_message: 'eyJ-'.repeat(10) }),
      }),
  },
  {
    name: '50,000 ads that are rejected',
    row: 20,
    seconds: 10,
    begin: (field) =>
      xml(
        field,
        `<VAST version="4.2">${Array.from({ length: 50_000 }, (_, id) => `<Ad id="${field.once}-${id}"><InLine></InLine></Ad>`).join('')}</VAST>`,
      ),
  },
];
