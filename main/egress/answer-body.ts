import { finished, type Readable, type Transform } from 'node:stream';
import { zlib } from '../late-modules';
import type { OpenAnswer } from './exchange';
import { SendError } from './send-error';

/** `Accept-Encoding` of requests whose answers are decoded. */
export const DECODED_ENCODINGS = 'gzip, br';

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => zlib().createGunzip()],
  ['x-gzip', () => zlib().createGunzip()],
  ['br', () => zlib().createBrotliDecompress()],
]);
/** Names of encodings that change the bytes of a body. */
const ENCODINGS: ReadonlySet<string> = new Set([
  ...DECODERS.keys(),
  'deflate',
  'compress',
  'zstd',
  'aws-chunked',
]);

/** Bytes that a compressed body may be longer than its decoded content; an honest encoding adds less. */
const MAX_EXCESS_BYTES = 1024 * 1024;

/**
 * The body of an answer, read only as fast as the reader asks for it. Cancelling it, also before the first
 * read, destroys connection and decoder.
 *
 * At most one content encoding is decoded, gzip or Brotli: the cost of several layers multiplies, and an
 * inner layer that decodes to nothing would keep the outer ones busy without a byte for the reader. Reading a
 * body of any other encoding rejects with a `SendError` (`encoding`), and its connection is closed at once;
 * the same holds for a body that decodes to almost nothing.
 *
 * @param decodes false: the body is passed on as it was sent
 * @param onEnd called once, when the body was read to its end or destroyed
 */
export function answerBody(
  open: OpenAnswer,
  decodes: boolean,
  onEnd: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { headers } = open.head;
  // Some servers call an empty body compressed, which is not even an empty file of that format.
  const stated = decodes && headers['content-length'] !== '0' ? encodingsOf(headers['content-encoding']) : [];
  const [encoding] = stated;
  const decoder = stated.length === 1 ? DECODERS.get(encoding ?? '')?.() : undefined;
  if (encoding !== undefined && decoder === undefined) {
    open.end();
    onEnd();
    return failing(stated);
  }
  const body = decoder ? open.decodedBy(decoder) : open.head;
  finished(body, { writable: false }, () => {
    open.end();
    onEnd();
  });
  if (!decoder) return webStream(body, open.end, () => {});
  let came = 0;
  let gave = 0;
  open.head.on('data', (bytes: Buffer) => {
    came += bytes.length;
    if (came <= gave + MAX_EXCESS_BYTES) return;
    open.end(new SendError('encoding', 'maybe', `its ${encoding} encoding decodes to almost no data`));
  });
  return webStream(body, open.end, (bytes) => {
    gave += bytes;
  });
}

/**
 * The encodings that a `Content-Encoding` names, in lower case. Words that name none are ignored, as browsers do: many
 * stores of files send back what was uploaded with the file, such as `UTF-8` or `none`.
 */
export function encodingsOf(header: string | null | undefined): readonly string[] {
  const names = (header ?? '').toLowerCase().split(',');
  return names.map((name) => name.trim()).filter((name) => ENCODINGS.has(name));
}

function failing(encodings: readonly string[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const got = encodings.join(', ').slice(0, 60);
  const error = new SendError('encoding', 'maybe', `expected at most one of gzip and br, got ${got}`);
  return new ReadableStream({ pull: (reader) => reader.error(error) }, { highWaterMark: 0 });
}

function webStream(
  body: Readable,
  end: () => void,
  onRead: (bytes: number) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(reader) {
        const { done, value } = await chunks.next();
        if (done) return reader.close();
        onRead(value.byteLength);
        reader.enqueue(value);
      },
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  );
}
