import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Picture } from './picture';
import { drawAsSeen, drawStill } from './still-picture';

/** Whether the browser's decoder reports an animated picture. */
let animated: boolean;
let frameCount: number;
let isBroken: boolean;
let isThere: boolean;
/** Opacity of each pixel of the decoded frame, 0 to 255; null: its format has none. */
let opacity: readonly number[] | null;
/** Colour of these pixels, from 0 (black) to 255 (white). */
let grey: number;
/** Of frames before the last one. */
let earlierOpacity: readonly number[] | null;
let codedSize: Record<'codedWidth' | 'codedHeight', number>;
/** What was opened or closed, in turn. */
let done: string[];
const bitmap = { close: () => done.push('bitmap closed') } as unknown as ImageBitmap;

beforeEach(() => {
  [animated, frameCount, isBroken, isThere, opacity, done] = [false, 1, false, true, null, []];
  earlierOpacity = null;
  grey = 9;
  codedSize = { codedWidth: 1_920, codedHeight: 1_080 };
  vi.stubGlobal('createImageBitmap', async () => bitmap);
  vi.stubGlobal('fetch', async () => {
    done.push('fetched');
    return new Response('bytes', { headers: { 'content-type': 'image/png' } });
  });
  vi.stubGlobal(
    'Image',
    class {
      onload = () => {};
      onerror = () => {};
      set src(url: string) {
        if (url === '') done.push('element let go');
        setTimeout(() => (url !== '' && isThere ? this.onload() : this.onerror()));
      }
    },
  );
  vi.stubGlobal(
    'ImageDecoder',
    class {
      readonly tracks = { ready: Promise.resolve(), selectedTrack: { animated, frameCount } };
      async decode({ frameIndex }: { frameIndex: number }) {
        if (isBroken) throw new Error('EncodingError');
        decoded = frameIndex < frameCount - 1 ? (earlierOpacity ?? opacity) : opacity;
        const format = decoded === null ? 'RGBX' : 'RGBA';
        return { image: { format, ...codedSize, close: () => done.push('frame closed') } };
      }
      close = () => done.push('decoder closed');
    },
  );
  let decoded: readonly number[] | null = null;
  /** Of the canvas, a white one on which the picture was drawn. */
  const pixelOf = (opaque: number) => {
    const ground = drawn.fillStyle === '#fff' ? 255 : 0;
    const seen = ground + ((grey - ground) * opaque) / 255;
    return [seen, seen, seen, ground === 255 ? 255 : opaque];
  };
  const drawn = {
    fillStyle: '#000',
    fillRect: () => {},
    drawImage: () => {},
    getImageData: () => ({ data: decoded?.flatMap(pixelOf) }),
  };
  vi.stubGlobal(
    'OffscreenCanvas',
    class {
      getContext = () => drawn;
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

describe('a still picture', () => {
  it('exists in memory only while it is drawn', async () => {
    expect(await drawStill('media://cache/a', (pixels) => done.push(`drawn ${pixels === bitmap}`))).toBe(
      true,
    );
    expect(done).toEqual([
      ...['fetched', 'frame closed', 'decoder closed', 'element let go'],
      ...['drawn true', 'bitmap closed'],
    ]);
  });

  it('is checked once, because its address identifies its content', async () => {
    for (let showing = 0; showing < 3; showing += 1) await drawStill('media://cache/often', () => {});
    expect(done.filter((each) => each === 'fetched')).toHaveLength(1);
    [animated, frameCount] = [true, 2];
    for (let showing = 0; showing < 3; showing += 1)
      expect(await drawStill('media://cache/moving', () => {})).toBe(false);
    expect(done.filter((each) => each === 'fetched')).toHaveLength(2);
  });

  it('is released even if it cannot be drawn', async () => {
    const draw = () => {
      throw new Error('no card');
    };
    await expect(drawStill('media://cache/b', draw)).rejects.toThrow('no card');
    expect(done.at(-1)).toBe('bitmap closed');
  });

  it('is refused each time if all of it is transparent, because the screen would be empty', async () => {
    opacity = [0, 3, 0, 0];
    for (let showing = 0; showing < 2; showing += 1)
      await expect(drawStill('media://cache/clear', () => done.push('drawn'))).rejects.toThrow('transparent');
    expect(done).toEqual([
      ...['fetched', 'frame closed', 'decoder closed', 'element let go'],
      'element let go',
    ]);
    opacity = [0, 0, 200, 0];
    expect(await drawStill('media://cache/logo', () => {})).toBe(true);
  });

  it('is refused if it is white on a transparent ground, because the screen would be white', async () => {
    [opacity, grey] = [[0, 255], 255];
    await expect(drawStill('media://cache/white', () => {})).rejects.toThrow('on white');
    grey = 230;
    expect(await drawStill('media://cache/pale', () => {})).toBe(true);
  });

  it('is a GIF of one frame too, which counts as animated', async () => {
    animated = true;
    expect(await drawStill('media://cache/logo.gif', () => {})).toBe(true);
    opacity = [0];
    await expect(drawStill('media://cache/pixel.gif', () => {})).rejects.toThrow('transparent');
  });

  it('is left to an image element if it moves, unless no frame of it can be seen', async () => {
    [animated, frameCount] = [true, 3];
    [earlierOpacity, opacity] = [[0], [200]];
    const draw = vi.fn();
    expect(await drawStill('media://cache/fades-in.gif', draw)).toBe(false);
    opacity = [0];
    await expect(drawStill('media://cache/clear.gif', draw)).rejects.toThrow('transparent');
    // Each decoded frame costs time, and a long animation may be hostile.
    [frameCount, opacity, done] = [5_000, [200], []];
    await expect(drawStill('media://cache/clear-for-long.gif', draw)).rejects.toThrow('transparent');
    expect(done.filter((each) => each === 'frame closed')).toHaveLength(100);
    [codedSize, done] = [{ codedWidth: 7_000, codedHeight: 7_000 }, []];
    await expect(drawStill('media://cache/clear-and-large.gif', draw)).rejects.toThrow('transparent');
    expect(done.filter((each) => each === 'frame closed')).toHaveLength(5);
    expect(draw).not.toHaveBeenCalled();
  });

  it('is refused if it is damaged or missing, because an image element would show an empty part', async () => {
    const draw = vi.fn();
    const refused = (url: string) =>
      expect(drawStill(url, draw)).rejects.toThrow(/^the picture cannot be (read|decoded completely)/);
    isBroken = true;
    await refused('media://cache/broken');
    [isBroken, isThere] = [false, false];
    await refused('media://cache/missing');
    expect([draw.mock.calls, done.at(-1)]).toEqual([[], 'element let go']);
  });

  it('is left to an image element if there is no memory for a bitmap', async () => {
    vi.stubGlobal('createImageBitmap', async () => {
      throw new Error('InvalidStateError');
    });
    expect(await drawStill('media://cache/large', vi.fn())).toBe(false);
  });
});

describe('its canvas', () => {
  it.each([
    ['the size of the screen', { width: 1920, height: 1080 }, 'fill', [1280, 720], 'low'],
    ['no larger than the picture', { width: 640, height: 360 }, 'fill', [640, 360], 'low'],
    ['as high as the screen', { width: 1080, height: 1920 }, 'letterbox', [405, 720], 'high'],
    ['large enough to fill it', { width: 1960, height: 1080 }, 'fill', [1307, 720], 'low'],
    ['never without a pixel', { width: 9000, height: 2 }, 'letterbox', [1280, 1], 'high'],
  ] as const)('is %s', (_what, size, fit, drawn, quality) => {
    const done: unknown[] = [];
    const context = {
      imageSmoothingQuality: '',
      fillStyle: '',
      fillRect: (...area: number[]) => done.push([context.fillStyle, ...area]),
      drawImage: (...drawing: unknown[]) => done.push(drawing),
    };
    const element = { clientWidth: 640, clientHeight: 360, getContext: () => context };
    const canvas = element as unknown as HTMLCanvasElement;
    vi.stubGlobal('devicePixelRatio', 2);
    const pixels = size as ImageBitmap;
    drawAsSeen(canvas, pixels, fit);
    expect([canvas.width, canvas.height, context.imageSmoothingQuality]).toEqual([...drawn, quality]);
    expect(done).toEqual([
      ['#fff', 0, 0, ...drawn],
      [pixels, 0, 0, ...drawn],
    ]);
  });
});

/** The part of an element that React uses. */
class PretendElement extends EventTarget {
  readonly nodeType = 1;
  readonly namespaceURI = 'http://www.w3.org/1999/xhtml';
  readonly ownerDocument = this;
  readonly children: PretendElement[] = [];
  readonly attributes: Record<string, unknown> = {};
  constructor(readonly tagName: string) {
    super();
  }
  createElement = (tagName: string) => new PretendElement(tagName);
  setAttribute = (name: string, value: unknown) => {
    this.attributes[name] = value;
  };
  appendChild = (child: PretendElement) => void this.children.push(child);
  removeChild = (child: PretendElement) => void this.children.splice(this.children.indexOf(child), 1);
  getContext = () => null;
}

// The last one, because it holds for the rest of the page's life.
it('this and all later pictures are shown in image elements once the graphics process has died, but no transparent one', async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('window', { HTMLIFrameElement: class {} });
  vi.stubGlobal('devicePixelRatio', 1);
  const page = new PretendElement('page');
  const root = createRoot(page as unknown as Element);
  const pixels = { width: 1_280, height: 720 } as ImageBitmap;
  const shown = { url: 'media://cache/a', pixels, fit: 'fill', title: '' } as const;
  const elements = () => page.children.map(({ tagName, attributes }) => [tagName, attributes.src]);
  act(() => root.render(createElement(Picture, shown)));
  expect(elements()).toEqual([['canvas', undefined]]);
  act(() => void page.children[0]?.dispatchEvent(new Event('contextlost')));
  expect(elements()).toEqual([['img', shown.url]]);
  act(() => root.render(createElement(Picture, { ...shown, pixels: { ...pixels } })));
  expect(elements()).toEqual([['img', shown.url]]);
  act(() => root.unmount());

  opacity = [0];
  await expect(drawStill('media://cache/clear-later', () => {})).rejects.toThrow('transparent');
  opacity = null;
  const draw = vi.fn();
  expect(await drawStill('media://cache/opaque-later', draw)).toBe(false);
  isBroken = true;
  await expect(drawStill('media://cache/broken-later', draw)).rejects.toThrow(
    /^the picture cannot be (read|decoded completely)/,
  );
  expect(draw).not.toHaveBeenCalled();
});
