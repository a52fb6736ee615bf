import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DemoAdInput } from '../../main/demo-service/demo-ad';
import type { DemoService } from '../../main/demo-service/demo-service';
import { imageAd } from '../two-creatives';
import { type Colour, MIDDLE, MIDDLE_AND_CORNERS, type Palette, WHOLE } from './classify-frame';

const run = promisify(execFile);

/** Colours far apart from each other and from black, white and the toolkit's grey. */
const COLOURS = {
  crimson: [200, 30, 40],
  cobalt: [16, 48, 208],
  leaf: [20, 160, 70],
  amber: [230, 150, 20],
  violet: [130, 40, 170],
  teal: [20, 150, 170],
} as const satisfies Record<string, Colour>;
export type ColourName = keyof typeof COLOURS;

/** A creative known by its colour. */
export interface ColouredCreative {
  readonly colour: ColourName;
  /** `card`: a native card whose picture has that colour; at most one in a playlist. */
  readonly kind: 'image' | 'video' | 'card';
  /**
   * `heavy`: a 4 MB picture of 1080p, or a video of 8 Mb/s, with its colour in the middle and the corners.
   * `full-hd`: the same, and the video is 1080p30.
   */
  readonly weight: 'plain' | 'heavy' | 'full-hd';
  readonly seconds: number;
}

export function paletteOf(creatives: readonly ColouredCreative[]): Palette {
  const cards = creatives.filter(({ kind }) => kind === 'card');
  const others = creatives.filter(({ kind }) => kind !== 'card');
  return {
    creatives: Object.fromEntries(others.map(({ colour }) => [colour, COLOURS[colour]])),
    marks: others.some(({ weight }) => weight !== 'plain') ? MIDDLE_AND_CORNERS : WHOLE,
    cards: Object.fromEntries(
      cards.map(({ colour }) => [colour, { colour: COLOURS[colour], marks: MIDDLE }]),
    ),
  };
}

/**
 * Makes the creatives that are missing, with ffmpeg, and puts them on the service: one ad each, in this
 * order, as its whole playlist, and a card as its native ads. Resolves with the ads of the playlist.
 */
export async function serveColoured(
  service: DemoService,
  creatives: readonly ColouredCreative[],
  folder: string,
): Promise<readonly DemoAdInput[]> {
  const ads: DemoAdInput[] = [];
  for (const creative of creatives) {
    const { file, type, width, height } = await makeCreative(creative, folder);
    const name = `${creative.colour}-${creative.weight}-${creative.seconds}.${type.split('/')[1]}`;
    const url = service.setMedia(name, readFileSync(file), type);
    if (creative.kind === 'card') {
      serveCards(service, { url, width, height });
      continue;
    }
    ads.push({ ...imageAd(creative.colour, creative.seconds), media: [{ name, type, width, height }] });
  }
  service.setAds(ads);
  return ads;
}

/** The most ads that a native request may ask for; each is shown once. */
const CARDS = 20;

/** Cards of a picture only, without text or link. */
function serveCards(service: DemoService, picture: { url: string; width: number; height: number }): void {
  const { url, width: w, height: h } = picture;
  const seen = { type: 'impression', data: { url: `${service.origin}/collect/card` } };
  const card = {
    assetgroupid: 1,
    assets: [{ type: 'banner', data: { w, h, url } }],
    meta: [],
    beacons: [seen],
  };
  service.setNativeAds(Array.from({ length: CARDS }, () => card));
}

/** Makes the creative's file in `folder` unless it is there. */
export async function makeCreative(creative: ColouredCreative, folder: string) {
  const { weight, colour, seconds } = creative;
  // A card's picture is plain: the card itself is the subject.
  const kind = creative.kind === 'card' ? 'image' : creative.kind;
  const isBusy = weight !== 'plain' && creative.kind !== 'card';
  const size =
    isBusy && (kind === 'image' || weight === 'full-hd')
      ? { width: 1920, height: 1080 }
      : { width: 1280, height: 720 };
  const type = kind === 'image' ? 'image/png' : 'video/mp4';
  const source = `color=c=0x${hex(COLOURS[colour])}:s=${size.width}x${size.height}:r=30`;
  const busy = isBusy
    ? [
        kind === 'image' ? 'format=rgb24,noise=alls=18:allf=u' : 'noise=alls=70:allf=t+u',
        ...MIDDLE_AND_CORNERS.map(
          ({ left, top, width, height }) =>
            // A little larger than the area that is checked: the edges are compressed together with the noise
            // around them.
            `drawbox=x=iw*${left}-24:y=ih*${top}-24:w=iw*${width}+48:h=ih*${height}+48:c=0x${hex(COLOURS[colour])}:t=fill`,
        ),
      ]
    : [];
  const encode =
    kind === 'image'
      ? ['-frames:v', '1', '-pix_fmt', 'rgb24']
      : [
          ...['-t', String(seconds), '-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p'],
          ...[
            '-colorspace',
            'bt709',
            '-color_primaries',
            'bt709',
            '-color_trc',
            'bt709',
            '-color_range',
            'tv',
          ],
          ...(isBusy ? ['-b:v', '8M', '-minrate', '8M', '-maxrate', '8M', '-bufsize', '8M'] : ['-crf', '20']),
          ...['-movflags', '+faststart'],
        ];
  const filter = [...busy, ...(kind === 'video' ? ['scale=out_color_matrix=bt709:out_range=tv'] : [])];
  const args = [
    '-f',
    'lavfi',
    '-i',
    source,
    ...(filter.length > 0 ? ['-vf', filter.join(',')] : []),
    ...encode,
  ];
  const name = createHash('sha256').update(args.join(' ')).digest('hex').slice(0, 16);
  const file = join(folder, `${name}.${type.split('/')[1]}`);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const unfinished = join(folder, `unfinished-${process.pid}-${name}.${type.split('/')[1]}`);
    await run('ffmpeg', ['-nostdin', '-loglevel', 'error', '-y', ...args, unfinished]);
    renameSync(unfinished, file);
  }
  return { file, type, ...size };
}

const hex = (colour: Colour) => colour.map((channel) => channel.toString(16).padStart(2, '0')).join('');
