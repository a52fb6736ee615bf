import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NativeCardContent } from '../../shared/native';
import type { StageCreative } from '../../shared/stage';
import { Layer, type LayerElements } from './layer';
import type { drawStill } from './still-picture';
import { type LayerContent, NOTHING } from './view';

/** The part of an element that a layer uses. */
class PretendElement extends EventTarget {
  readonly dataset: Record<string, string> = {};
  clientWidth = 1280;
  clientHeight = 720;
  readonly #attributes = new Map<string, string>();

  removeAttribute = (name: string) => void this.#attributes.delete(name);
  hasAttribute = (name: string) => this.#attributes.has(name);
  getContext = () => null;
  sources = 0;
  get src(): string {
    return this.#attributes.get('src') ?? '';
  }
  set src(url: string) {
    this.sources += 1;
    this.#attributes.set('src', url);
  }
}

class PretendImage extends PretendElement {
  readonly naturalWidth = 1280;
  readonly naturalHeight = 720;
  decodes: Array<{ resolve: () => void; reject: (error: Error) => void }> = [];
  decode = () => new Promise<void>((resolve, reject) => void this.decodes.push({ resolve, reject }));
}

class PretendVideo extends PretendElement {
  duration = 2;
  readyState = 0;
  error: { code: number; message: string } | null = null;
  muted = false;
  volume = 1;
  currentTime = 0;
  ended = false;
  videoWidth = 1280;
  readonly videoHeight = 720;
  readonly done: string[] = [];
  #frames: Array<(now: number, frame: { presentedFrames: number }) => void> = [];
  pause = () => void this.done.push('pause');
  load = () => void this.done.push('load');
  play = () => Promise.resolve();
  requestVideoFrameCallback = (run: (now: number, frame: { presentedFrames: number }) => void) =>
    this.#frames.push(run);
  cancelVideoFrameCallback = () => {};
  getVideoPlaybackQuality = () => ({ droppedVideoFrames: 0 });

  present(): void {
    for (const run of this.#frames.splice(0)) run(0, { presentedFrames: 1 });
  }
  canPlay(): void {
    this.readyState = 3;
    this.dispatchEvent(new Event('canplay'));
  }
  soundAlone(): void {
    this.videoWidth = 0;
    this.dispatchEvent(new Event('loadedmetadata'));
    this.canPlay();
  }
  fail(code: number, message = ''): void {
    this.error = { code, message };
    this.dispatchEvent(new Event('error'));
  }
}

const DEADLINE_MS = 10_000;
const NETWORK = 2;
const DECODE = 3;
const NOT_SUPPORTED = 4;
const picture: StageCreative = {
  kind: 'image',
  url: 'media://cache/a',
  durationMs: 8_000,
  volume: 0,
  marks: [],
};
const video: StageCreative = {
  kind: 'video',
  url: 'media://cache/v',
  durationMs: null,
  volume: 0.4,
  marks: [],
};
const page: StageCreative = {
  kind: 'page',
  url: 'http://p.localhost/',
  partition: 'guests',
  durationMs: 5_000,
  marks: [],
};
const WORDS_ONLY = { picture: null, icon: null, contentInfo: null } as NativeCardContent;
const card: Extract<StageCreative, { kind: 'card' }> = {
  kind: 'card',
  content: WORDS_ONLY,
  language: 'en',
  video: null,
  banner: null,
  durationMs: 8_000,
  volume: 0,
  marks: [],
};

let image: PretendImage;
/** Pixels of the next picture; null: it is animated. */
let pixels: Promise<ImageBitmap | null>;
class PretendBitmap {
  readonly width = 1920;
  readonly height = 1080;
}
const PIXELS = new PretendBitmap() as ImageBitmap;
let clip: PretendVideo;
/** Addresses of the pictures that were kept. */
let kept: string[];
let layer: Layer;
/** The element of the layer itself. */
let box: PretendElement;
/** What React was given to draw, the latest last. */
let drawn: LayerContent[];
let drawError: Error | null;
/** How the pictures of a card are decoded. */
let decodedCard: (content: NativeCardContent) => Promise<NativeCardContent>;
/** What cannot be drawn while there is a `drawError`. */
let notDrawn: LayerContent['kind'];

beforeEach(() => {
  decodedCard = async (content) => content;
  vi.useFakeTimers();
  vi.stubGlobal('HTMLMediaElement', { HAVE_FUTURE_DATA: 3 });
  vi.stubGlobal('MediaError', { MEDIA_ERR_NETWORK: NETWORK });
  kept = [];
  image = new PretendImage();
  pixels = Promise.resolve(null);
  vi.stubGlobal('ImageBitmap', PretendBitmap);
  const draws: typeof drawStill = async (_url, draw) => {
    const picture = await pixels;
    if (picture !== null) draw(picture);
    return picture !== null;
  };
  clip = new PretendVideo();
  drawn = [];
  drawError = null;
  notDrawn = 'card';
  box = new PretendElement();
  const backdrop = new PretendElement();
  const elements = { layer: box, backdrop: () => backdrop };
  layer = new Layer(
    { ...elements, image: () => image, video: () => clip } as unknown as LayerElements,
    (content) => {
      drawn.push(content);
      if (content.kind === notDrawn && drawError !== null) throw drawError;
    },
    (url) => kept.push(url),
    draws,
    (content) => decodedCard(content),
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The layer's result for a creative after `happens` was called. */
async function outcome(creative: StageCreative, happens: () => unknown) {
  let answer: unknown = 'no answer yet';
  void layer.prepare(creative).then((found) => {
    answer = found;
  });
  await vi.advanceTimersByTimeAsync(0);
  await happens();
  await vi.advanceTimersByTimeAsync(0);
  return answer;
}
/** A video has presented its first frame, and has enough data to continue. */
const comesUp = () => {
  clip.present();
  clip.canPlay();
};
const comesUpAt = (seconds: number) => {
  clip.currentTime = seconds;
  comesUp();
};
const comesUpLasting = (seconds: number) => {
  clip.duration = seconds;
  comesUp();
};
const afterItsDeadline = () => vi.advanceTimersByTimeAsync(DEADLINE_MS);

describe('a layer', () => {
  it('draws the pixels of a still picture, and keeps no decoded copy', async () => {
    pixels = Promise.resolve(PIXELS);
    expect(await outcome(picture, () => {})).toEqual({ durationMs: 8_000 });
    expect(drawn.at(-1)).toEqual({ kind: 'image', url: 'media://cache/a', pixels: PIXELS, fit: 'fill' });
    expect([image.decodes, kept]).toEqual([[], []]);
    layer.release();
    expect(drawn.at(-1)).toEqual(NOTHING);
  });

  it('draws a picture again when its layer has another size, unless it was released meanwhile', async () => {
    pixels = Promise.resolve(PIXELS);
    await outcome(picture, () => {});
    drawn.length = 0;
    layer.resized();
    await vi.advanceTimersByTimeAsync(0);
    expect(drawn).toMatchObject([{ kind: 'image', pixels: PIXELS }]);
    layer.resized();
    layer.release();
    await vi.advanceTimersByTimeAsync(0);
    expect(drawn.at(-1)).toEqual(NOTHING);
  });

  it.each([
    ['a video', video, comesUp],
    ['an animated picture', picture, () => image.decodes.at(-1)?.resolve()],
  ])(
    'shows %s whole when its layer has another shape, and not at all once it was released',
    async (_what, creative, comes) => {
      await outcome(creative, comes);
      expect(drawn.at(-1)).toMatchObject({ kind: creative.kind, fit: 'fill' });
      [box.clientWidth, box.clientHeight] = [720, 1280];
      layer.resized();
      await vi.advanceTimersByTimeAsync(0);
      expect(drawn.at(-1)).toMatchObject({ kind: creative.kind, fit: 'letterbox' });
      layer.resized();
      layer.release();
      await vi.advanceTimersByTimeAsync(0);
      expect(drawn.at(-1)).toEqual(NOTHING);
    },
  );

  it('does not draw a picture that was decoded too late', async () => {
    let decoded = (_pixels: ImageBitmap) => {};
    pixels = new Promise((resolve) => {
      decoded = resolve;
    });
    expect(await outcome(picture, afterItsDeadline)).toMatchObject({ code: 'start-timeout' });
    layer.release();
    decoded(PIXELS);
    await vi.advanceTimersByTimeAsync(0);
    expect(drawn.at(-1)).toEqual(NOTHING);
  });

  it('is ready with an animated picture when its element has decoded it, not only loaded it', async () => {
    expect(await outcome(picture, () => {})).toBe('no answer yet');
    expect(await outcome(picture, () => image.decodes.at(-1)?.resolve())).toEqual({ durationMs: 8_000 });
  });

  it('reports a picture that cannot be decoded, or not in time', async () => {
    const breaks = () => image.decodes.at(-1)?.reject(new Error('EncodingError'));
    expect(await outcome(picture, breaks)).toMatchObject({
      code: 'decode-failed',
      detail: expect.stringMatching(/EncodingError/),
    });
    expect(await outcome(picture, afterItsDeadline)).toMatchObject({ code: 'start-timeout' });
  });

  it('is ready with a video when its first frame is presented and more can be played, in either order', async () => {
    expect(await outcome(video, () => clip.canPlay())).toBe('no answer yet');
    layer.release();
    clip.readyState = 0;
    expect(await outcome(video, () => clip.present())).toBe('no answer yet');
    expect(await outcome(video, comesUp)).toEqual({ durationMs: 2_000 });
    layer.release();
    expect(
      await outcome(video, () => {
        clip.canPlay();
        clip.present();
      }),
    ).toEqual({ durationMs: 2_000 });
    expect([clip.muted, clip.volume]).toEqual([false, 0.4]);
  });

  it.each<[string, () => unknown, string]>([
    ['cannot be decoded', () => clip.fail(NOT_SUPPORTED), 'decode-failed'],
    ['cannot be read', () => clip.fail(NETWORK), 'load-failed'],
    ['can be heard but not seen', () => clip.soundAlone(), 'decode-failed'],
    ['never comes to a frame', afterItsDeadline, 'start-timeout'],
    ['states no length', () => comesUpLasting(Number.POSITIVE_INFINITY), 'load-failed'],
    ['is over at once', () => comesUpLasting(0.1), 'load-failed'],
    ['begins late on its own time line', () => comesUpAt(2.1), 'load-failed'],
  ])('reports a video that it %s', async (_what, happens, code) => {
    expect(await outcome(video, happens)).toMatchObject({ code });
  });

  it.each<[string, () => unknown, string]>([
    ['it begins late', () => comesUpAt(5), "the video's time begins at 5.0 s; expected 0 s"],
    [
      'Chromium gives no reason',
      () => clip.fail(NOT_SUPPORTED),
      'expected a picture in a codec that this kiosk decodes',
    ],
  ])('says what it expected of a video if %s', async (_why, happens, detail) => {
    expect(await outcome(video, happens)).toMatchObject({ detail });
  });

  it('rejects a video that is longer than its ad may be; others may last for hours', async () => {
    const bounded = { ...video, longestMs: 600_000 };
    const hours = () => comesUpLasting(6 * 3_600);
    expect(await outcome(bounded, hours)).toEqual({
      code: 'load-failed',
      detail: 'the video lasts 21600 s; an ad may last 600 s',
    });
    expect(await outcome(bounded, () => comesUpLasting(600.9))).toEqual({ durationMs: 600_900 });
    expect(await outcome(video, hours)).toEqual({ durationMs: 6 * 3_600_000 });
  });

  it('loads a video muted when the sound output is broken, and then only reports it', async () => {
    const loseSound = () => clip.fail(DECODE, 'AUDIO_RENDERER_ERROR: audio renderer error');
    const loseSoundThen = (then: () => void) => async () => {
      loseSound();
      await vi.advanceTimersByTimeAsync(0);
      then();
    };
    expect(await outcome(video, loseSoundThen(comesUp))).toEqual({ durationMs: 2_000 });
    expect([clip.muted, clip.sources]).toEqual([true, 2]);
    expect(await outcome(video, loseSoundThen(loseSound))).toMatchObject({ code: 'no-sound' });
    expect(clip.sources).toBe(4);
  });

  it('gives its video the volume that is chosen while it is loaded, waits or plays', async () => {
    const sound = () => [clip.muted, clip.volume];
    const mutesThenComesUp = () => {
      layer.volume = 0;
      comesUp();
    };
    expect(await outcome(video, mutesThenComesUp)).toEqual({ durationMs: 2_000 });
    expect(sound()).toEqual([true, 0]);
    layer.volume = 0.7;
    expect(sound()).toEqual([false, 0.7]);
    layer.start(0);
    layer.volume = 0;
    expect([...sound(), clip.sources]).toEqual([true, 0, 1]);
    await outcome(video, comesUp);
    expect(sound()).toEqual([false, 0.4]);
  });

  it('gives the video of a card the volume that was chosen while its pictures were decoded', async () => {
    let decoded = () => {};
    decodedCard = (content) =>
      new Promise((resolve) => {
        decoded = () => resolve(content);
      });
    const withVideo = { ...card, video: 'media://cache/v', durationMs: null, volume: 0.4 };
    const ready = outcome(withVideo, async () => {
      layer.volume = 0;
      decoded();
      await vi.advanceTimersByTimeAsync(0);
      comesUp();
    });
    expect(await ready).toEqual({ durationMs: 2_000 });
    expect([clip.muted, clip.volume]).toEqual([true, 0]);
  });

  it('leaves a video muted whose sound output broke while it was loaded, whatever volume is chosen', async () => {
    await outcome(video, async () => {
      clip.fail(DECODE, 'AUDIO_RENDERER_ERROR: audio renderer error');
      await vi.advanceTimersByTimeAsync(0);
      comesUp();
    });
    layer.volume = 0.7;
    expect(clip.muted).toBe(true);
    await outcome(video, comesUp);
    layer.volume = 0.7;
    expect([clip.muted, clip.volume]).toEqual([false, 0.7]);
  });

  it('takes a volume while it holds no video', async () => {
    layer.volume = 0.7;
    await outcome(page, () => {
      layer.volume = 0;
    });
    layer.release();
    await outcome(video, comesUp);
    expect([clip.muted, clip.volume]).toEqual([false, 0.4]);
  });

  it.each([
    ['none', 'I420', false],
    ['one', 'I420A', true],
    ['none, from the graphics hardware', null, false],
  ])('lays white under a video only where its frames have an opacity: %s', async (_what, format, isWhite) => {
    const closed = vi.fn();
    class PretendFrame {
      #isClosed = false;
      get format() {
        return this.#isClosed ? null : format;
      }
      close = () => {
        this.#isClosed = true;
        closed();
      };
    }
    vi.stubGlobal('VideoFrame', PretendFrame);
    await outcome(video, comesUp);
    expect(['transparent' in clip.dataset, closed.mock.calls.length]).toEqual([isWhite, 1]);
  });

  it('lays a video on white if its frame cannot be looked at', async () => {
    vi.stubGlobal('VideoFrame', function refuses() {
      throw new Error('SecurityError');
    });
    expect(await outcome(video, comesUp)).toEqual({ durationMs: 2_000 });
    expect('transparent' in clip.dataset).toBe(true);
  });

  it('fails a creative that was replaced or released while it loaded', async () => {
    const first = layer.prepare(picture);
    const second = layer.prepare({ ...picture, url: 'media://cache/b' });
    await vi.advanceTimersByTimeAsync(0);
    for (const { resolve } of image.decodes) resolve();
    const superseded = { code: 'decode-failed', detail: 'superseded' };
    expect([await first, await second]).toEqual([superseded, { durationMs: 8_000 }]);
    const third = layer.prepare(video);
    layer.release();
    clip.fail(NOT_SUPPORTED);
    expect(await third).toMatchObject({ code: 'decode-failed' });
  });

  it('releases everything: decoder, buffers and bitmap', async () => {
    await outcome(video, comesUp);
    layer.start(0);
    expect(drawn.at(-1)).toEqual({ kind: 'video', fit: 'fill' });
    clip.done.length = 0;
    layer.release();
    expect(clip.done).toEqual(['pause', 'load']);
    expect(clip.hasAttribute('src')).toBe(false);
    expect([layer.run, drawn.at(-1)]).toEqual([null, NOTHING]);
  });

  it('ignores a late error of an earlier video while the next one runs', async () => {
    await outcome(video, comesUp);
    layer.start(0);
    const before = layer.run;
    await outcome({ ...video, url: 'media://cache/w' }, comesUp);
    layer.start(10);
    const after = layer.run;
    expect(after).not.toBe(before);
    clip.dispatchEvent(new Event('error'));
    expect([before?.isBroken, after?.isBroken]).toEqual([false, true]);
  });

  it('knows that a video lost its sound while it waited for its slot', async () => {
    await outcome(video, comesUp);
    clip.fail(DECODE, 'AUDIO_RENDERER_ERROR: audio renderer error');
    layer.start(0);
    expect([layer.run?.isBroken, layer.run?.lacksSound]).toEqual([true, true]);
  });

  it('restarts the animation of a picture when it is raised', async () => {
    await outcome(picture, () => image.decodes.at(-1)?.resolve());
    expect(image.sources).toBe(0);
    layer.shown(0);
    expect([image.sources, image.src]).toEqual([1, picture.kind === 'image' && picture.url]);
  });

  it('restarts the animation of a card’s picture when the card is raised', async () => {
    const picture = { kind: 'image', url: 'media://cache/p' } as NativeCardContent['picture'];
    await outcome({ ...card, content: { ...WORDS_ONLY, picture } }, () => {});
    layer.shown(0);
    expect([image.sources, image.src]).toEqual([1, 'media://cache/p']);
  });

  it('is ready with a page when it has drawn; a page that fails is dropped', async () => {
    const paint = (type: 'painted' | 'broken', url = 'http://p.localhost/') =>
      layer.handleReport({ type, url, detail: 'gone' } as Parameters<Layer['handleReport']>[0]);
    let changes = 0;
    layer.onChange = () => {
      changes += 1;
    };
    expect(await outcome(page, () => paint('broken'))).toMatchObject({
      code: 'decode-failed',
      detail: 'gone',
    });
    expect(layer.isLost).toBe(true);
    expect(await outcome(page, afterItsDeadline)).toMatchObject({ code: 'start-timeout' });
    const another = () => paint('painted', 'http://q.localhost/');
    expect(await outcome(page, another)).toBe('no answer yet');
    expect(await outcome(page, () => paint('painted'))).toEqual({ durationMs: 5_000 });
    expect([drawn.at(-1), layer.isLost]).toMatchObject([{ kind: 'page', url: 'http://p.localhost/' }, false]);
    expect(changes).toBe(1);
    paint('broken');
    expect([layer.isLost, changes]).toEqual([true, 2]);
    layer.release();
    paint('broken');
    expect([drawn.at(-1), layer.isLost, changes]).toEqual([NOTHING, false, 2]);
  });

  it('shows no card that cannot be drawn or whose pictures are late, because it would be empty', async () => {
    decodedCard = () => new Promise(() => {});
    expect(await outcome(card, afterItsDeadline)).toMatchObject({ code: 'start-timeout' });
    decodedCard = () => Promise.reject(new Error('it cannot be drawn'));
    expect(await outcome(card, () => {})).toMatchObject({
      code: 'decode-failed',
      detail: 'it cannot be drawn',
    });
    decodedCard = async (content) => content;
    drawError = new Error('a component failed');
    expect(await outcome(card, () => {})).toMatchObject({
      code: 'decode-failed',
      detail: 'a component failed',
    });
  });

  it('shows no card without words whose picture cannot be decoded, because it would be empty', async () => {
    const picture = { kind: 'image', url: 'media://cache/broken' } as NativeCardContent['picture'];
    const content = { ...WORDS_ONLY, title: null, description: null };
    decodedCard = async () => content;
    expect(await outcome({ ...card, content: { ...content, picture } }, () => {})).toMatchObject({
      code: 'decode-failed',
    });
    expect(drawn).not.toContainEqual(expect.objectContaining({ kind: 'card' }));
  });

  it('shows no transparent picture, and no card with it, because the record of its play would name it', async () => {
    pixels = Promise.reject(new Error('the picture is transparent'));
    const failed = { code: 'decode-failed', detail: 'the picture is transparent' };
    expect(await outcome(picture, () => {})).toEqual(failed);
    const content = {
      ...WORDS_ONLY,
      picture: { kind: 'image', url: 'media://cache/a', width: 9, height: 9 },
    };
    expect(await outcome({ ...card, content } as StageCreative, () => {})).toEqual(failed);
    pixels = Promise.resolve(null);
    decodedCard = async (given) => ({ ...given, picture: null });
    expect(await outcome({ ...card, content } as StageCreative, () => {})).toMatchObject({
      code: 'decode-failed',
    });
    expect(drawn).not.toContainEqual(expect.objectContaining({ kind: 'card' }));
  });

  it('reports a creative that it cannot begin, because what it held before cannot be removed', async () => {
    [drawError, notDrawn] = [new Error('a leaving card failed'), 'nothing'];
    expect(await outcome(picture, () => {})).toEqual({
      code: 'decode-failed',
      detail: 'a leaving card failed',
    });
    drawError = null;
    pixels = Promise.resolve(PIXELS);
    expect(await outcome(picture, () => {})).toEqual({ durationMs: 8_000 });
  });

  it('keeps the pictures of a card, so that repeated showings do not use more memory', async () => {
    const picture = { kind: 'image', url: 'media://cache/picture' } as NativeCardContent['picture'];
    const contentInfo = { icon: 'media://cache/info' } as NativeCardContent['contentInfo'];
    await outcome({ ...card, content: { ...WORDS_ONLY, picture, contentInfo } }, () => {});
    expect(kept).toEqual(['media://cache/picture', 'media://cache/info']);
  });

  it('draws a still picture of a card, and keeps only its small ones', async () => {
    const picture = { kind: 'image', url: 'media://cache/picture' } as NativeCardContent['picture'];
    const content = { ...WORDS_ONLY, picture, icon: 'media://cache/icon' };
    pixels = Promise.resolve(PIXELS);
    expect(await outcome({ ...card, content }, () => {})).toEqual({ durationMs: 8_000 });
    // The service may deliver a picture of another size than it states.
    expect(drawn.at(-1)).toMatchObject({
      content: { ...content, picture: { ...picture, width: 1920, height: 1080 } },
      pixels: PIXELS,
    });
    expect(kept).toEqual(['media://cache/icon']);
  });

  it('plays the video of a card in its frame, and releases it', async () => {
    const ready = outcome({ ...card, video: 'media://cache/v', durationMs: null }, comesUp);
    expect(await ready).toEqual({ durationMs: 2_000 });
    expect([drawn.at(-1), clip.src]).toMatchObject([{ framed: 'video' }, 'media://cache/v']);
    clip.done.length = 0;
    layer.release();
    expect(clip.done).toEqual(['pause', 'load']);
  });

  describe('with a banner of markup', () => {
    const url = 'http://b.localhost/';
    const banner = {
      ...card,
      content: { ...WORDS_ONLY, picture: { kind: 'html' as const, width: 300, height: 250 } },
      banner: { url, partition: 'guest-1', leadMs: 2_500 },
    } satisfies StageCreative;

    const framed = () => {
      const content = drawn.at(-1);
      return content?.kind === 'card' ? content.framed : null;
    };
    it('is ready once its banner has drawn', async () => {
      expect(await outcome(banner, () => {})).toBe('no answer yet');
      expect(framed()).toEqual({ url, partition: 'guest-1', size: { width: 300, height: 250 } });
      expect(await outcome(banner, () => layer.handleReport({ type: 'painted', url }))).toEqual({
        durationMs: 8_000,
      });
    });

    it('is dropped if it is blank 15 s after its load', async () => {
      expect(await outcome(banner, () => vi.advanceTimersByTimeAsync(14_900))).toBe('no answer yet');
      expect(await outcome(banner, () => vi.advanceTimersByTimeAsync(15_000))).toMatchObject({
        code: 'start-timeout',
        detail: 'the banner painted nothing within 15 s',
      });
    });
  });
});
