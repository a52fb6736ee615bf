import type { ContractName } from './reader-contracts';

/** A kind of input for which a slow reader needs more than linear time. */
export interface HostileShape {
  readonly reader: ContractName;
  readonly name: string;
  /** About `length` UTF-16 code units or bytes of it. */
  readonly make: (length: number) => string | Uint8Array;
}

const times = (piece: string, length: number) => piece.repeat(Math.max(1, Math.floor(length / piece.length)));
const textShape =
  (reader: ContractName) =>
  (name: string, piece: string, before = '', after = ''): HostileShape => ({
    reader,
    name,
    make: (length) => `${before}${times(piece, length)}${after}`,
  });
/** A shape of as many pieces as fit, for pieces that have to differ. */
const counted = (
  reader: ContractName,
  name: string,
  piece: (index: number) => string,
  before = '',
  after = '',
): HostileShape => ({
  reader,
  name,
  make: (length) => {
    const count = Math.floor(length / piece(1_000).length);
    return `${before}${Array.from({ length: count }, (_, index) => piece(index)).join('')}${after}`;
  },
});
const bytesShape = (
  reader: ContractName,
  name: string,
  before: readonly number[],
  piece: readonly number[],
): HostileShape => ({
  reader,
  name,
  make: (length) => {
    const bytes = new Uint8Array(before.length + length);
    bytes.set(before);
    for (let at = before.length; at < bytes.length; at += piece.length) {
      bytes.set(piece.slice(0, bytes.length - at), at);
    }
    return bytes;
  },
});
const ascii = (text: string): number[] => [...Buffer.from(text, 'latin1')];

const VAST = '<VAST version="4.2">';
const INLINE = `${VAST}<Ad id="a"><InLine>`;
const END = '</InLine></Ad></VAST>';
const EXTENSION = '<Extension type="service-metadata">';

function vastShapes(reader: 'ads' | 'vast'): readonly HostileShape[] {
  const shape = textShape(reader);
  const linear = [
    `${INLINE}<Creatives><Creative><Linear>`,
    `</Linear></Creative></Creatives>${END}`,
  ] as const;
  return [
    shape('empty ads', '<Ad/>', VAST, '</VAST>'),
    shape('ads without an end', '<Ad>', VAST),
    shape(
      'linear creatives without content',
      '<Linear/>',
      `${INLINE}<Creatives><Creative>`,
      `</Creative></Creatives>${END}`,
    ),
    shape('media files', '<MediaFile>a</MediaFile>', `${linear[0]}<MediaFiles>`, `</MediaFiles>${linear[1]}`),
    shape(
      'tracking',
      '<Tracking event="start">u</Tracking>',
      `${linear[0]}<TrackingEvents>`,
      `</TrackingEvents>${linear[1]}`,
    ),
    shape('addresses in an address', '<URL>u</URL>', `${INLINE}<Impression>`, `</Impression>${END}`),
    shape('one long address', 'a', `${INLINE}<Impression>`, `</Impression>${END}`),
    shape('errors of the document', '<Error>u</Error>', VAST, '</VAST>'),
    shape('comments', '<!---->', VAST, '</VAST>'),
    shape('a comment of hyphens', '- ', `${VAST}<!--`, '--></VAST>'),
    shape('brackets in CDATA', ']', `${INLINE}<AdTitle><![CDATA[`, ` ]]></AdTitle>${END}`),
    shape('CDATA after CDATA', '<![CDATA[x]]>', `${INLINE}<AdTitle>`, `</AdTitle>${END}`),
    shape('character references', '&#x41;', `${INLINE}<AdTitle>`, `</AdTitle>${END}`),
    shape('an entity without an end', 'a', `${INLINE}<AdTitle>&`, `</AdTitle>${END}`),
    shape('white space before the document', ' ', '', '<VAST/>'),
    shape('white space in a tag', '\n', '<VAST', '/>'),
    shape('a long name', 'n', '<', '/>'),
    shape('a long attribute', 'v', '<VAST version="', '"/>'),
    counted(reader, 'attributes', (index) => ` a${index}="v"`, '<VAST', '/>'),
    counted(
      reader,
      'event names',
      (index) => `<Tracking event="e${index}">u</Tracking>`,
      `${linear[0]}<TrackingEvents>`,
      `</TrackingEvents>${linear[1]}`,
    ),
    counted(reader, 'a pod', (index) => `<Ad sequence="${100_000 - index}"/>`, VAST, '</VAST>'),
    shape('processing instructions', '<?p?>', VAST, '</VAST>'),
    shape('a DOCTYPE', 'd ', '<!DOCTYPE ', '><VAST/>'),
  ];
}

const ads = textShape('ads');
const metadata = textShape('metadata');
const native = textShape('native');
const message = textShape('service-message');
const page = textShape('page');
const NATIVE = '{"status":"ok","ads":[{"assets":[{"type":"title","data":{"text":"t"}}';
const HTML = '<!doctype html><html><body>';

/** JPEG segments: an Exif block each, of 16 bytes. */
const EXIF_SEGMENT = [0x00, 0x10, ...ascii('Exif'), 0, 0, ...ascii('MM'), 0, 42, 0, 0, 0, 8, 0xff, 0xe1];
/** A box of 20 bytes with a picture's size. */
const SIZE_BOX = [0, 0, 0, 20, ...ascii('ispe'), 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 9];
const AVIF = [
  ...[0, 0, 0, 16, ...ascii('ftypavif'), 0, 0, 0, 0],
  ...[0x00, 0x0f, 0x00, 0x00, ...ascii('meta'), 0, 0, 0, 0],
  ...[0x00, 0x0e, 0x00, 0x00, ...ascii('iprp')],
  ...[0x00, 0x0d, 0x00, 0x00, ...ascii('ipco')],
];

/** Inputs on which readers like ours are known to be slow, for every reader. */
export const HOSTILE_SHAPES: readonly HostileShape[] = [
  ...vastShapes('ads'),
  ...vastShapes('vast'),
  ads(
    'metadata extensions without text',
    `${EXTENSION}</Extension>`,
    `${INLINE}<Extensions>${EXTENSION}${' '.repeat(100_000)}</Extension>`,
    `</Extensions>${END}`,
  ),
  counted(
    'ads',
    'ads of their own metadata',
    (index) =>
      `<Ad><InLine><Extensions>${EXTENSION}{"request_id":"${index}"}</Extension></Extensions></InLine></Ad>`,
    VAST,
    '</VAST>',
  ),
  ads(
    'rejected ads with error addresses',
    '<Ad id="a"><InLine><Error>https://t.example/e</Error></InLine></Ad>',
    VAST,
    '</VAST>',
  ),
  metadata('nested lists', '['),
  metadata('nested objects', '{"a":'),
  metadata('caps of a wrong type', '{"limit":"x"},', '{"request_id":"r","frequency_caps":[', '{}]}'),
  metadata(
    'conditions',
    '{},',
    '{"request_id":"r","audience":{"targeting_groups":[{"conditions":[',
    '{}]}]}}',
  ),
  metadata('unknown keys', '"k":1,', '{', '"request_id":"r"}'),
  metadata('escapes', '\\u0041', '{"request_id":"', '"}'),
  metadata('a long id', 'x', '{"request_id":"', '"}'),
  metadata('white space', ' '),
  native('assets of an unknown type', '{"type":"x"},', `${NATIVE},`, '{}]}]}'),
  native('assets that are JSON in a string', '{"type":"cta","jsondata":"[1]"},', `${NATIVE},`, '{}]}]}'),
  native('ads beyond those asked for', '{},', '{"status":"ok","ads":[', '{}]}'),
  native(
    'a long title',
    'x ',
    '{"status":"ok","ads":[{"assets":[{"type":"title","data":{"text":"',
    '"}}]}]}',
  ),
  native('a long type', 'x ', '{"status":"ok","ads":[{"assets":[{"type":"', '"}]}]}'),
  native('a long status', 'x ', '{"status":"', '"}'),
  native(
    'digits in place of a number',
    '1',
    '{"status":"ok","ads":[{"assets":[{"type":"rating","data":{"number":"',
    '"}}]}]}',
  ),
  native(
    'a long VAST',
    '<Ad/>',
    `{"status":"ok","ads":[{"assets":[{"type":"vast2","data":{"vast2":"<VAST>`,
    '</VAST>"}}]}]}',
  ),
  native('VAST after VAST', '{"type":"vast2","data":"<VAST/>"},', `${NATIVE},`, '{}]}]}'),
  native(
    'beacons',
    '{"type":"impression","data":{"url":"https://t.example"}},',
    '{"status":"ok","ads":[{"beacons":[',
    '{}]}]}',
  ),
  native('nested lists', '[', '{"status":"ok","ads":'),
  native('a long number', '1', '{"status":"ok","ads":[{"assetgroupid":', '}]}'),
  native('numbers that are ids', '9007199254740993,', '{"status":"ok","ads":[{"assets":[', '{}]}]}'),
  native('escapes behind such a number', '\\"', '{"status":"ok","n":9007199254740993,"ads":"', '"}'),
  message('the beginnings of tokens', 'eyJ-', '{"message":"', '"}'),
  message('tokens without an end', 'eyJ.', '{"message":"', '"}'),
  message('tokens', 'eyJa.b.c ', '{"message":"', '"}'),
  message('words before a token', 'eyJx', '{"message":"', '.b.c"}'),
  message('Bearer after Bearer', 'Bearer ', '{"message":"', '"}'),
  message('Bearer and white space', ' ', '{"message":"Bearer', '"}'),
  message('white space in a line', ' x', '{"message":"', '"}'),
  message('secrets', 'a secret', '{"message":"', '"}'),
  message('halves of secrets', 'a secre', '{"message":"', '"}'),
  message('a log-in page', '<p>', '<html>'),
  page('a refresh that never comes', ' ', `${HTML}<meta http-equiv=`, '</html>'),
  page('refreshes that never come', 'http-equiv= ', HTML, '</html>'),
  page('beginnings of comments', '<!--', HTML, '</html>'),
  page('comments', '<!---->', HTML, '</html>'),
  page('ends of pages', '</html ', HTML),
  page('an end of white space', ' ', `${HTML}</html`, 'x'),
  page('beginnings of forms', '<form', HTML, '</html>'),
  page('white space in the doctype', ' ', '<!doctype', 'x'),
  ...(['page', 'media'] as const).map((reader) => bytesShape(reader, 'zeros', [], [0])),
  bytesShape('page', 'bytes that are no UTF-8', ascii(HTML), [0xff]),
  bytesShape('media', 'a JPEG of zeros', [0xff, 0xd8, 0xff, 0xe0], [0]),
  bytesShape('media', 'a JPEG of markers', [0xff, 0xd8, 0xff, 0xe0], [0x00, 0x02, 0xff, 0xe0]),
  bytesShape('media', 'a JPEG of Exif blocks', [0xff, 0xd8, 0xff, 0xe1], EXIF_SEGMENT),
  bytesShape('media', 'an AVIF of sizes', AVIF, SIZE_BOX),
  bytesShape('media', 'an AVIF of empty boxes', AVIF, [0, 0, 0, 8, ...ascii('free')]),
  bytesShape(
    'media',
    'nested boxes of an MP4',
    [0, 0, 0, 16, ...ascii('ftypisom'), 0, 0, 0, 0],
    [0x7f, 0xff, 0xff, 0xff, ...ascii('moov')],
  ),
  bytesShape(
    'media',
    'boxes of an MP4',
    [0, 0, 0, 16, ...ascii('ftypisom'), 0, 0, 0, 0],
    [0, 0, 0, 8, ...ascii('moov')],
  ),
  bytesShape('media', 'a WebM of empty elements', [0x1a, 0x45, 0xdf, 0xa3], [0x42, 0x82, 0x80]),
  bytesShape(
    'media',
    'a PNG of empty chunks',
    [0x89, ...ascii('PNG\r\n\x1a\n')],
    [0, 0, 0, 0, ...ascii('tEXt'), 0, 0, 0, 0],
  ),
  bytesShape('media', 'a ZIP of empty entries', [], [...ascii('PK\x03\x04'), ...new Array(26).fill(0)]),
  bytesShape('media', 'tags before sound', ascii('ID3\x03\0\0\0\0\0\x0a'), ascii('ID3\x03\0\0\0\0\0\x0a')),
];
