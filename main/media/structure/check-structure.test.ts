import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readInPlace } from '../../reading/testing/read-in-place';
import { bytesOf } from '../testing/bytes-of';
import { checkStructure } from './check-structure';

const samples = join(__dirname, '../samples');
const creatives = join(__dirname, '../../demo-service/creatives');
const sample = (name: string) => readFileSync(join(samples, name));
const check = (content: Uint8Array) => checkStructure(readInPlace, bytesOf(content));
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

/** A copy in which a big-endian number is overwritten. */
function withNumber(content: Buffer, at: number, value: number, bytes = 4): Buffer {
  const copy = Buffer.from(content);
  copy.writeUIntBE(value, at, bytes);
  return copy;
}

const half = (content: Buffer) => content.subarray(0, content.length / 2);

describe('the structure of', () => {
  it.each(mediaIn(samples))('%s is accepted', async (name) => {
    expect(await check(sample(name))).toEqual(typeOf(name));
  });

  it.each(mediaIn(creatives))('the demo service’s %s is accepted', async (name) => {
    expect(await check(readFileSync(join(creatives, name)))).toEqual(typeOf(name));
  });

  const png = sample('picture.png');
  const jpeg = sample('picture.jpg');
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  it.each<[string, Uint8Array, string]>([
    ['nothing', Buffer.alloc(0), 'not-media'],
    ["a captive portal's page", Buffer.from('<!doctype html><title>Log in</title>'), 'not-media'],
    ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'not-media'],
    ['a PNG of 20,000 × 20,000', withNumber(withNumber(png, 16, 20_000), 20, 20_000), 'too-many-pixels'],
    ['a PNG without width', withNumber(png, 16, 0), 'undecodable'],
    ['a PNG of one pixel', withNumber(withNumber(png, 16, 1), 20, 1), 'undecodable'],
    ['a JPEG of 60,000 × 60,000', withNumber(jpeg, frame + 5, 60_000 * 65_536 + 60_000), 'too-many-pixels'],
    ['a JPEG without height', withNumber(jpeg, frame + 5, 0, 2), 'undecodable'],
    ['a WebM cut off by a byte', sample('clip.webm').subarray(0, -1), 'truncated'],
    ['a WebM cut off in the middle', half(sample('clip.webm')), 'truncated'],
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
  ])('%s is refused, and named', async (_name, content, code) => {
    expect(await check(content)).toMatchObject({ code, detail: expect.stringMatching(/\w/) });
  });

  it.each<[string, Buffer]>([
    ['a WebM recorded live, which states no length, cut off', half(sample('live.webm'))],
    ['a WebM with bytes behind its end', Buffer.concat([sample('clip.webm'), Buffer.alloc(100)])],
  ])('%s is accepted', async (_name, content) => {
    expect(await check(content)).toEqual({ type: 'video/webm' });
  });

  it('any bytes are judged without an exception, in bounded reads', async () => {
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
          await checkStructure(readInPlace, {
            length: source.length,
            read: (at, length) => {
              reads += 1;
              return source.read(at, length);
            },
          });
          expect(reads).toBeLessThanOrEqual(2);
        },
      ),
      { numRuns: 500 },
    );
  });
});
