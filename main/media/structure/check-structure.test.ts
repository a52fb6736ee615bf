import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf } from './byte-source';
import { checkStructure } from './check-structure';

const samples = join(__dirname, '../samples');
const creatives = join(__dirname, '../../demo-service/creatives');
const sample = (name: string) => readFileSync(join(samples, name));
const check = (content: Uint8Array) => checkStructure(bytesOf(content));
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  avif: 'image/avif',
  mp4: 'video/mp4',
  webm: 'video/webm',
};
const typeOf = (name: string) => ({ type: TYPES[name.split('.').at(-1) ?? ''] });
const mediaIn = (folder: string) => readdirSync(folder).filter((name) => typeOf(name).type !== undefined);

/** A copy with a big-endian number written over it. */
function withNumber(content: Buffer, at: number, value: number, bytes = 4): Buffer {
  const copy = Buffer.from(content);
  copy.writeUIntBE(value, at, bytes);
  return copy;
}

describe('the structure of', () => {
  it.each(mediaIn(samples).filter((name) => name !== 'sound-only.mp4'))('%s is taken', async (name) => {
    expect(await check(sample(name))).toEqual(typeOf(name));
  });

  it.each(mediaIn(creatives))("the demo service's %s is taken", async (name) => {
    expect(await check(readFileSync(join(creatives, name)))).toEqual(typeOf(name));
  });

  const png = sample('picture.png');
  const jpeg = sample('picture.jpg');
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  const mp4 = sample('index-first.mp4');
  it.each<[string, Uint8Array, string]>([
    ['nothing', Buffer.alloc(0), 'not-media'],
    ["a captive portal's page", Buffer.from('<!doctype html><title>Log in</title>'), 'not-media'],
    ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'not-media'],
    ['a PNG of 20,000 × 20,000', withNumber(withNumber(png, 16, 20_000), 20, 20_000), 'too-many-pixels'],
    ['a PNG without width', withNumber(png, 16, 0), 'undecodable'],
    ['a PNG with damaged pixels', withNumber(png, png.indexOf('IDAT') + 20, 0x55555555), 'undecodable'],
    [
      'a PNG without pixels',
      Buffer.from(png.toString('latin1').replace('IDAT', 'tEXt'), 'latin1'),
      'undecodable',
    ],
    ['a JPEG of 60,000 × 60,000', withNumber(jpeg, frame + 5, 60_000 * 65_536 + 60_000), 'too-many-pixels'],
    ['a JPEG without height', withNumber(jpeg, frame + 5, 0, 2), 'undecodable'],
    ['a GIF without width', withNumber(sample('animated.gif'), 6, 0, 2), 'undecodable'],
    ['a GIF of 65,535 × 65,535', withNumber(sample('animated.gif'), 6, 0xffffffff), 'too-many-pixels'],
    [
      'an animated WebP of 16,777,216 pixels a side',
      withNumber(sample('animated.webp'), 24, 0xffffffffffff, 6),
      'too-many-pixels',
    ],
    [
      'an AVIF of a billion pixels a side',
      withNumber(sample('picture.avif'), sample('picture.avif').indexOf('ispe') + 8, 1_000_000_000),
      'too-many-pixels',
    ],
    ['sound without a picture', sample('sound-only.mp4'), 'undecodable'],
    ['an MP4 without its content', mp4.subarray(0, mp4.indexOf('mdat') - 4), 'truncated'],
    ['an MP4 whose last box claims more', withNumber(mp4, mp4.indexOf('mdat') - 4, 1_000_000), 'truncated'],
    [
      'an MP4 whose index names what is not there',
      withNumber(mp4, mp4.indexOf('stco') + 12, 1_000_000),
      'truncated',
    ],
    ['an MP4 with a box smaller than its head', withNumber(mp4, 0, 4), 'undecodable'],
    [
      'a WebM that is neither',
      Buffer.from(sample('clip.webm').toString('latin1').replace('webm', 'evil'), 'latin1'),
      'undecodable',
    ],
  ])('%s is refused, and named', async (_name, content, code) => {
    expect(await check(content)).toMatchObject({ code, detail: expect.stringMatching(/\w/) });
  });

  /** What is cut between the fragments of a stream is a shorter stream. */
  const streams = new Set(['live.webm', 'fragmented.mp4', 'sound-only.mp4']);
  const wholeOnly = mediaIn(samples).filter((name) => !streams.has(name));
  it.each(wholeOnly)('%s is refused however it is cut', async (name) => {
    const content = sample(name);
    await fc.assert(
      fc.asyncProperty(fc.nat(content.length - 1), async (length) => {
        expect(await check(content.subarray(0, length))).toHaveProperty('code');
      }),
      { numRuns: 200 },
    );
  });

  it('anything is judged without an exception, in bounded reads', async () => {
    const starts = mediaIn(samples).map((name) => sample(name));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...starts),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 12 }),
        async (content, changes) => {
          const damaged = Buffer.from(content);
          for (const [at, value] of changes) damaged[at % Math.min(damaged.length, 2_000)] = value;
          let reads = 0;
          const source = bytesOf(damaged);
          await checkStructure({
            length: source.length,
            read: (at, length) => {
              reads += 1;
              return source.read(at, length);
            },
          });
          expect(reads).toBeLessThan(content.length);
        },
      ),
      { numRuns: 500 },
    );
  });
});
