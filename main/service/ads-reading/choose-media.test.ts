import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MediaFile } from '../../../shared/ad';
import { chooseMedia, isSupported, mediaTypeOf } from './choose-media';

const SCREEN = { width: 1920, height: 1080 };
const UPRIGHT = { width: 1080, height: 1920 };

function file(over: Partial<MediaFile> = {}): MediaFile {
  return {
    url: 'https://cdn.example/a.mp4',
    type: 'video/mp4',
    delivery: 'progressive',
    width: 1920,
    height: 1080,
    bitrateKbps: 4_000,
    codec: null,
    ...over,
  };
}

function sized(width: number | null, height: number | null, bitrateKbps: number | null = 4_000): MediaFile {
  return file({ width, height, bitrateKbps });
}

/** The chosen files in order, each as "1920x1080@4000". */
function order(files: MediaFile[], screen = SCREEN): string[] {
  return chooseMedia({ mediaFiles: files }, screen).map(
    ({ width, height, bitrateKbps }) => `${width}x${height}@${bitrateKbps}`,
  );
}

describe('media a kiosk can show', () => {
  it.each([
    [{ type: 'video/mp4' }, 'video/mp4'],
    [{ type: ' VIDEO/MP4 ' }, 'video/mp4'],
    [{ type: 'video/mp4; codecs="avc1.64001f, mp4a.40.2"' }, 'video/mp4'],
    [{ type: 'video/mp4;codecs=avc1' }, 'video/mp4'],
    [{ type: 'video/mp4; codecs=avc1; profile=a' }, 'video/mp4'],
    [{ type: 'video/x-m4v' }, 'video/mp4'],
    [{ type: 'video/quicktime' }, 'video/quicktime'],
    [{ type: '', url: 'https://cdn.example/a.mov' }, 'video/quicktime'],
    [{ type: 'video/webm; codecs="vp09.00.10.08, opus"' }, 'video/webm'],
    [{ type: 'video/webm; codecs="vp8, vorbis"' }, 'video/webm'],
    [{ type: 'video/webm; codecs="VP9"' }, 'video/webm'],
    [{ type: 'video/mp4; codecs="av01.0.05M.08, flac"' }, 'video/mp4'],
    [{ type: 'video/mp4; codecs="avc3.64001f, mp3"' }, 'video/mp4'],
    [{ type: 'video/mp4; codecs="avc1.64001f, ec-3"' }, 'video/mp4'],
    [{ type: 'video/mp4; codecs="h264,aac"' }, 'video/mp4'],
    [{ type: 'image/apng' }, 'image/png'],
    [{ type: 'image/jpg' }, 'image/jpeg'],
    [{ type: 'image/png' }, 'image/png'],
    [{ type: 'image/webp' }, 'image/webp'],
    [{ type: 'image/gif' }, 'image/gif'],
    [{ type: 'image/avif' }, 'image/avif'],
    [{ type: '', url: 'https://cdn.example/A.MP4?x=1.js#t' }, 'video/mp4'],
    [{ type: 'application/octet-stream', url: 'http://cdn.example/a.jpeg' }, 'image/jpeg'],
    [{ type: 'binary/octet-stream', url: 'HTTPS://cdn.example/a.webm' }, 'video/webm'],
  ])('%j is %s', (over, type) => {
    expect(mediaTypeOf(file(over))).toBe(type);
    expect(chooseMedia({ mediaFiles: [file(over)] }, SCREEN)).toHaveLength(1);
    expect(isSupported({ mediaFiles: [file(over)] })).toBe(true);
  });

  it.each([
    { type: 'application/javascript' },
    { type: 'application/x-shockwave-flash' },
    { type: 'video/x-flv' },
    { type: 'video/3gpp' },
    { type: 'video/quicktime', codec: 'ProRes' },
    { type: 'image/svg+xml' },
    { type: 'application/javascript' },
    { type: 'audio/mp4' },
    { type: 'application/x-mpegURL', delivery: 'streaming' },
    { type: 'application/dash+xml', delivery: 'progressive' },
    { type: 'video/mp4; codecs="hvc1.1.6.L93.B0"' },
    { type: 'video/mp4; profile=a; codecs=hvc1' },
    ...['HEVC', 'H.265', 'h265', 'hev1', 'dvh1', 'ProRes', 'Theora', 'MPEG-2', 'mp4v.20.9'].map((codec) => ({
      codec,
    })),
    { type: '', url: 'https://cdn.example/a' },
    { type: '', url: 'https://cdn.example/a.mp4/manifest' },
    { url: 'rtmp://cdn.example/a.mp4' },
    { url: 'file:///etc/a.mp4' },
    { url: '//cdn.example/a.mp4' },
    { url: 'a.mp4' },
    { url: 'https://' },
    { url: 'data:video/mp4;base64,AAAA' },
  ])('%j is not playable', (over) => {
    expect(chooseMedia({ mediaFiles: [file(over)] }, SCREEN)).toEqual([]);
    expect(isSupported({ mediaFiles: [file(over)] })).toBe(false);
  });

  it.each([
    [`"avc1.64001f, ec-3"`, true],
    [`"mp4a.a5"`, true],
    [`"avc1.64001f, mp4a.40.2"`, false],
    [`'avc1.64001f'`, false],
    [`"H.264"`, false],
    [`AV1`, false],
  ])('comes after another if its codec is unknown: %s', (codecs, isLast) => {
    const one = file({ type: `video/mp4; codecs=${codecs}` });
    const other = file({ type: 'video/mp4; codecs="avc1.64001f, mp4a.40.2"', width: 1280, height: 720 });
    expect(chooseMedia({ mediaFiles: [one, other] }, SCREEN)).toEqual(isLast ? [other, one] : [one, other]);
  });

  it('is one file, however its delivery is written, or without it', () => {
    for (const delivery of [null, 'progressive', 'Progressive', 'streaming']) {
      expect(chooseMedia({ mediaFiles: [file({ delivery })] }, SCREEN)).toHaveLength(1);
    }
  });
});

describe('the best media for a screen', () => {
  const ladder = [sized(640, 360), sized(3840, 2160), sized(1280, 720), sized(1920, 1080)];

  it.each([
    ['its own size', SCREEN, ladder, ['1920x1080@4000', '1280x720@4000', '3840x2160@4000', '640x360@4000']],
    ['what lies its way', SCREEN, [sized(1080, 1920), sized(640, 360)], ['640x360@4000', '1080x1920@4000']],
    [
      'what stands as it does',
      UPRIGHT,
      [sized(1920, 1080), sized(540, 960)],
      ['540x960@4000', '1920x1080@4000'],
    ],
    [
      'the smaller of two equally near',
      SCREEN,
      [sized(3840, 2160), sized(960, 540)],
      ['960x540@4000', '3840x2160@4000'],
    ],
    [
      'what fills the screen of two that are scaled alike',
      UPRIGHT,
      [sized(1080, 1350), sized(1080, 1920), sized(810, 1920)],
      ['1080x1920@4000', '810x1920@4000', '1080x1350@4000'],
    ],
    ['a stated size', SCREEN, [sized(null, null), sized(480, 270)], ['480x270@4000', 'nullxnull@4000']],
    [
      'a square to one that stands',
      SCREEN,
      [sized(1080, 1920), sized(200, 200), sized(640, 360)],
      ['640x360@4000', '200x200@4000', '1080x1920@4000'],
    ],
    [
      'an unstated size to a wrong one',
      SCREEN,
      [sized(1080, 1920), sized(null, null)],
      ['nullxnull@4000', '1080x1920@4000'],
    ],
  ])('is %s', (_, screen, files, expected) => {
    expect(order(files, screen)).toEqual(expected);
  });

  it('is a MOV only if there is no other file but a page, because it often holds ProRes', () => {
    const typed = (type: string, over: Partial<MediaFile> = {}) => file({ type, ...over });
    const files = [
      typed('text/html'),
      typed('video/quicktime'),
      typed('video/mp4', { width: 320, height: 180, delivery: 'streaming' }),
    ];
    const types = chooseMedia({ mediaFiles: files }, SCREEN).map(({ type }) => type);
    expect(types).toEqual(['video/mp4', 'video/quicktime', 'text/html']);
  });

  it('is the highest useful bit rate, then an unknown one, then the lowest that is too high', () => {
    const rates = [500, 50_000, null, 8_000, 20_000, 4_000];
    expect(order(rates.map((rate) => sized(1920, 1080, rate)))).toEqual(
      [8_000, 4_000, 500, null, 20_000, 50_000].map((rate) => `1920x1080@${rate}`),
    );
  });

  it.each([
    [640, 360, [3_500, 1_000, 4_500]],
    [1280, 720, [5_000, 4_500, 8_000]],
    [3840, 2160, [40_000, 20_000, 60_000]],
  ])('is the highest bit rate that is useful on %d × %d', (width, height, rates) => {
    const files = rates.toReversed().map((rate) => sized(1920, 1080, rate));
    expect(order(files, { width, height })).toEqual(rates.map((rate) => `1920x1080@${rate}`));
  });

  it('is not misled by bit rates in bit/s', () => {
    const rates = [1_000, 2_000_000, 8_000].map((rate) => sized(1920, 1080, rate));
    expect(order(rates)).toEqual(['1920x1080@8000', '1920x1080@2000000', '1920x1080@1000']);
  });

  it('is a page only if no picture or video can be shown, by type or by address', () => {
    const page = { ...sized(1920, 1080), type: 'text/html', url: 'https://cdn.example/a.html' };
    const small = sized(320, 240);
    expect(chooseMedia({ mediaFiles: [page, small] }, SCREEN)).toEqual([small, page]);
    expect(chooseMedia({ mediaFiles: [{ ...page, type: '' }] }, SCREEN)).toHaveLength(1);
  });

  it('is one that is said to be streamed only if there is no other', () => {
    const streamed = file({ delivery: 'Streaming', url: 'https://cdn.example/1.mp4' });
    for (const delivery of [null, 'progressive', 'Progressive']) {
      const small = file({ delivery, width: 320, height: 240 });
      expect(chooseMedia({ mediaFiles: [streamed, small] }, SCREEN)).toEqual([small, streamed]);
    }
  });

  it('is the first of equals', () => {
    const first = file({ url: 'https://cdn.example/1.mp4' });
    const second = file({ url: 'https://cdn.example/2.mp4' });
    expect(chooseMedia({ mediaFiles: [first, second] }, SCREEN)).toEqual([first, second]);
  });

  it('needs the least scaling among files of the same orientation', () => {
    const side = fc.integer({ min: 1, max: 8_000 });
    const landscape = fc.tuple(side, side).filter(([width, height]) => width > height);
    const factor = ({ width, height }: MediaFile) => {
      const scale = Math.min(SCREEN.width / (width ?? 0), SCREEN.height / (height ?? 0));
      return Math.max(scale, 1 / scale);
    };
    fc.assert(
      fc.property(fc.array(landscape, { minLength: 1 }), fc.array(side), (sizes, sides) => {
        const upright = sides.map((height) => sized(height - 1 || 1, height + 1));
        const files = [...upright, ...sizes.map(([width, height]) => sized(width, height))];
        const [best] = chooseMedia({ mediaFiles: files }, SCREEN);
        const least = Math.min(...files.slice(upright.length).map(factor));
        expect(best && factor(best) / least).toBeLessThan(1.001);
        expect(best && (best.width ?? 0) > (best.height ?? 0)).toBe(true);
      }),
    );
  });
});
