import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyText, decodeText } from './decode-text';

const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'shift_jis', 'gb18030', 'euc-kr'];

test('a body in pieces decodes to the same text as the whole body', () => {
  const letters = new TextEncoder().encode('<a>Größe €5 日本 한국</a>');
  const bytes = fc
    .tuple(
      fc.constantFrom('', '\ufeff', ...ENCODINGS.map((name) => `<?xml version="1.0" encoding="${name}"?>`)),
      fc.array(fc.oneof(fc.constant([...letters]), fc.array(fc.nat(255), { maxLength: 9 })), {
        maxLength: 40,
      }),
    )
    .map(([start, rest]) => Uint8Array.from([...new TextEncoder().encode(start), ...rest.flat()]));
  const contentType = fc.constantFrom(
    null,
    'text/xml',
    ...ENCODINGS.map((name) => `text/xml; charset=${name}`),
  );
  fc.assert(
    fc.property(
      bytes,
      contentType,
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }),
      (all, type, cuts) => {
        const text = new BodyText(type);
        for (let at = 0, piece = 0; at < all.length; piece += 1) {
          const length = cuts[piece % cuts.length] ?? 1;
          text.add(all.subarray(at, at + length));
          at += length;
        }
        expect(text.end()?.join('') ?? null).toBe(wholeText(all, type));
      },
    ),
    { numRuns: 500 },
  );
});

test('a body of several megabytes keeps all its text', () => {
  const all = 'Größe €5 '.repeat(300_000);
  const bytes = new TextEncoder().encode(all);
  const text = new BodyText(null);
  for (let at = 0; at < bytes.length; at += 65_536) text.add(bytes.subarray(at, at + 65_536));
  const pieces = text.end() ?? [];
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join('') === all).toBe(true);
});

test('decodes a gb18030 body byte by byte, with half a character at its end', () => {
  // Wherever the text is cut.
  for (let length = 900; length < 1_100; length += 1) {
    const start = `<?xml version="1.0" encoding="gb18030"?>${'x'.repeat(length)}`;
    const text = new BodyText(null);
    for (const byte of [...new TextEncoder().encode(start), 0x34, 0x38, 0x39, 0x1e, 0x96, 0x30, 0x34])
      text.add(Uint8Array.of(byte));
    expect(text.end()?.join('')).toContain('xxx489\u001e\ufffd');
  }
});

/** The oracle: decodes the whole body at once with `TextDecoder`. */
function wholeText(bytes: Uint8Array, contentType: string | null): string {
  const latin = Buffer.from(bytes).toString('latin1');
  const marked =
    latin.startsWith('\xef\xbb\xbf') || latin.startsWith('\xff\xfe') || latin.startsWith('\xfe\xff');
  // A declaration that reads as ASCII is not in UTF-16.
  const declared = /^<\?xml version="1.0" encoding="(?!utf-16)(.+?)"/.exec(latin)?.[1];
  const label = latin.startsWith('\xff\xfe')
    ? 'utf-16le'
    : latin.startsWith('\xfe\xff')
      ? 'utf-16be'
      : 'utf-8';
  const decoder = new TextDecoder(
    marked ? label : (contentType?.split('charset=')[1] ?? declared ?? 'utf-8'),
  );
  // Without `stream` Node decodes windows-1252 as Latin-1.
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}

test.each([
  ['text/xml; charset=klingon', null],
  ['text/xml; charset="utf-8"', 'ä'],
  ["text/xml; charset='utf-8'", 'ä'],
  ['text/xml; charset=charset=UTF-8', 'ä'],
  [null, 'ä'],
])('handles the content type %s', (contentType, expected) => {
  expect(decodeText(new TextEncoder().encode('ä'), contentType)).toBe(expected);
});

test.each(['utf-16', 'UTF-16LE', 'unicode'])(
  'a declaration of %s in ASCII letters is wrong: the body is UTF-8',
  (name) => {
    const document = `<?xml version="1.0" encoding="${name}"?><VAST version="4.2">ä</VAST>`;
    expect(decodeText(new TextEncoder().encode(document), 'text/xml')).toBe(document);
  },
);

test('a declaration counts after blank lines, too', () => {
  const document = '\r\n <?xml version="1.0" encoding="ISO-8859-1"?><VAST>ä</VAST>';
  expect(decodeText(Buffer.from(document, 'latin1'), 'text/xml')).toBe(document);
});

test('an empty body is empty text', () => expect(decodeText(new Uint8Array(), null)).toBe(''));
